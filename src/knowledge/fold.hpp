#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "knowledge/run_record.hpp"

/// Adding up what several communicators, ranks or runs saw.
namespace starling {

/// Adds what `other`, a context of the same call key on another communicator, saw. Counts and seconds add up; a median
/// becomes the mean of both weighted by samples, a deviation that of both together, a minimum the smaller; where only
/// one knows the slowest rank's seconds, rank 0's stand for the other's; candidates are matched by their public names;
/// of all decisions, ordered by call, the latest `decisions_kept` stay. Stage and winner are those of the one with more
/// calls, so fold contexts in falling order of calls and those of the busiest communicator stay.
void fold(ContextRecord& into, const ContextRecord& other);

/// The same where `other` has some of the candidates only, without their names: those at `places` in `into`. Its
/// decisions have the numbers of `into`.
void fold_by_place(ContextRecord& into, const ContextRecord& other, std::span<const int> places);

void fold(LeftOut& into, const LeftOut& other);

/// Contexts, those of one call key (what the tuner tells apart on one communicator, and the number of ranks) folded
/// into one. Adding one takes a time that does not depend on their number.
class FoldedContexts {
 public:
  void add(ContextRecord context);
  /// The context of the same call key; nullptr for none.
  [[nodiscard]] const ContextRecord* find(const ContextRecord& key) const;
  [[nodiscard]] ContextRecord* find(const ContextRecord& key);
  [[nodiscard]] const std::vector<ContextRecord>& all() const { return contexts_; }
  /// All of them; none are left here.
  std::vector<ContextRecord> take();

 private:
  std::vector<ContextRecord> contexts_;
  std::unordered_map<std::string, std::size_t> places_;  ///< by call key
};

/// Seconds of the slowest rank where they are known, else rank 0's; 0 where these are no number.
double seconds_spent(const ContextRecord& context);

/// Contexts in falling order of the seconds spent, those of one call key folded into one.
std::vector<ContextRecord> folded(std::vector<ContextRecord> contexts);

}  // namespace starling
