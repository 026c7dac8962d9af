#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "knowledge/run_record.hpp"

/// Sums the records of several communicators, ranks or runs.
namespace starling {

/// Adds `other`, a context of the same call key on another communicator. Counts and seconds are summed; a median
/// becomes the mean of both weighted by samples, a deviation that of all samples, a minimum the smaller one. If only
/// one context has the slowest rank's seconds, rank 0's are used for the other. Candidates are matched by public name.
/// Decisions are added by `add_decisions`. Stage and winner are those of the context with more calls: fold contexts in
/// falling order of calls to keep those of the busiest communicator.
void fold(ContextRecord& into, const ContextRecord& other);

/// Adds decisions to others, in the order of their calls. One that is there already counts once. The latest
/// `decisions_kept` are kept.
void add_decisions(ContextRecord& into, std::span<const Decision> others);

/// The same as `fold` if `other` has only the candidates at `places` in `into`, without their names. Its decisions have
/// the candidate numbers of `into`.
void fold_by_place(ContextRecord& into, const ContextRecord& other, std::span<const int> places);

void fold(LeftOut& into, const LeftOut& other);
/// The same, where there may be none.
void fold(std::optional<LeftOut>& into, const std::optional<LeftOut>& other);

/// The call key as text, here with the number of ranks: contexts that have it in common are folded into one.
std::string call_key(const ContextRecord& of);

/// Contexts, those of one call key (here with the number of ranks) folded into one. Adding one takes constant time.
class FoldedContexts {
 public:
  void add(ContextRecord context);
  /// The context of the same call key; nullptr if there is none.
  [[nodiscard]] const ContextRecord* find(const ContextRecord& key) const;
  [[nodiscard]] ContextRecord* find(const ContextRecord& key);
  [[nodiscard]] const std::vector<ContextRecord>& all() const { return contexts_; }
  /// Returns and removes all contexts.
  std::vector<ContextRecord> take();

 private:
  std::vector<ContextRecord> contexts_;
  std::unordered_map<std::string, std::size_t> places_;  ///< by call key
};

/// Seconds of the slowest rank if known, else rank 0's; 0 if they are not a number.
double seconds_spent(const ContextRecord& context);

/// Contexts in falling order of the seconds spent, those of one call key folded into one.
std::vector<ContextRecord> folded(std::vector<ContextRecord> contexts);

}  // namespace starling
