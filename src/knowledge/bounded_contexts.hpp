#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>

#include "knowledge/fold.hpp"
#include "knowledge/run_record.hpp"
#include "knowledge/shorten.hpp"

namespace starling {

/// Contexts, those of one call key folded into one, in bounded memory: a program may make new call keys for as long as
/// it runs. What a record would leave out in the end (`shorten`) is left out here in the same order, a little in each
/// call, so that none takes long.
class BoundedContexts {
 public:
  void add(ContextRecord context);
  /// Adds sums of contexts that were left out elsewhere.
  void add(const std::optional<LeftOut>& left_out) { fold(left_out_, left_out); }
  /// The context of the same call key, to be added to until the next `add` or `find`; nullptr if there is none. Not all
  /// of its candidates may be left.
  [[nodiscard]] ContextRecord* find(const ContextRecord& key);
  /// Returns a record with only the contexts and the sums of those left out, and removes them.
  RunRecord take();

  /// So many contexts, those that were added to last, stay whole: more is added to them in place.
  static constexpr std::size_t most_latest = 256;
  /// Bytes of memory that all others take at most, beyond a debt that each call reduces. They are more than a record
  /// has room for.
  static constexpr std::size_t most_bytes = 2 * most_record_bytes;
  /// Of how many contexts one call leaves out something, at most, which takes about a microsecond each. A context has
  /// three steps, and few come in one call, so that the debt is gone soon, even where each new context takes the room
  /// of a hundred.
  static constexpr int most_steps = 16;
  /// Of how many contexts something was left out so far.
  [[nodiscard]] std::int64_t steps() const { return steps_; }

 private:
  /// The order in which parts are left out: what is left of a context, its seconds, its number.
  using Place = std::tuple<Completeness, double, std::int64_t>;
  struct Held {
    std::string key;
    ContextRecord context;
    std::size_t bytes = 0;
    std::int64_t added_to = 0;   ///< when something was added last
    std::optional<Place> place;  ///< nothing while it is one of the latest
  };

  Held& make_latest(std::int64_t number);
  void bound();
  void put_in_place(std::int64_t number);
  void leave_out_lightest();

  // No container here grows by moving what it has, which would take long now and then.
  std::map<std::int64_t, Held> held_;  ///< by number, in the order in which they came
  std::map<std::string, std::int64_t> numbers_;
  std::map<std::int64_t, std::int64_t> latest_;  ///< numbers by `added_to`
  std::set<Place> places_;
  std::size_t bytes_ = 0;  ///< of those in `places_`
  std::int64_t next_number_ = 0;
  std::int64_t additions_ = 0;
  std::int64_t steps_ = 0;
  std::optional<LeftOut> left_out_;
};

}  // namespace starling
