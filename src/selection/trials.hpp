#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "measurement/of_few.hpp"
#include "measurement/short_time.hpp"
#include "measurement/statistics.hpp"
#include "measurement/work_scale.hpp"
#include "selection/noise.hpp"
#include "selection/plan.hpp"
#include "selection/strategy.hpp"
#include "selection/waiting.hpp"

namespace starling {

/// What a search has measured of each candidate of a context, on the rank that judges.
class Trials {
 public:
  explicit Trials(const Brief& brief);

  /// Adds calls of a candidate; of one that is not eligible, native carried them out.
  void add(int candidate, std::span<const AgreedCall> calls);
  /// Forgets the first of a candidate's calls, because something else disturbed it.
  void forget_first(int candidate);
  /// Forgets all calls of a candidate, because they tell no more: calls of it are added next.
  void forget(int candidate);
  /// Frees memory where few calls follow.
  void condense() { waiting_.condense(); }
  /// The network has changed: forgets all times, those of earlier runs as well, but not who cannot serve.
  void forget();

  [[nodiscard]] int candidates() const { return candidates_; }
  /// Whether it may serve: not refused before the first call, and not at a call.
  [[nodiscard]] bool can_serve(int candidate) const { return at(candidate).eligible; }
  /// Whether it may be tried now: it may serve, and is not put off.
  [[nodiscard]] bool eligible(int candidate) const { return at(candidate).eligible && !at(candidate).put_off; }
  /// Puts off a candidate that may serve, or no more. A call of it ends that, too.
  void put_off(int candidate, bool off) { find(candidate)->put_off = off; }
  /// Measured calls, of this run or else of earlier ones.
  [[nodiscard]] std::int64_t calls(int candidate) const { return std::int64_t{at(candidate).count}; }
  [[nodiscard]] bool tried(int candidate) const { return calls(candidate) > 0; }
  /// Seconds per call: of all the calls that a candidate gets by ADCL's outlier filter, of fewer the median, of two the
  /// shorter, for what disturbs a call makes it longer. Infinite where none is known. Without waiting for late ranks
  /// (`Waiting`).
  [[nodiscard]] double time(int candidate) const { return static_cast<double>(at(candidate).time); }
  /// The time of other calls of a candidate, found in the same way.
  [[nodiscard]] double time_of(int candidate, std::span<const AgreedCall> calls) const;
  /// Where the work varies, whether these calls are so different that nothing is known of them (`WorkScale::is_far`).
  bool are_far(std::span<const AgreedCall> calls);
  /// The standard deviation of single calls over their mean, of all candidates together, without outliers.
  [[nodiscard]] double scatter() const { return scatter_; }
  /// The fastest that was tried; -1 for none. The first of equals.
  [[nodiscard]] int best() const;
  /// Whether it is slower than the other one by more than chance.
  [[nodiscard]] bool clearly_slower(int candidate, int than) const;
  /// Whether more calls may show that it is faster than the best by a difference that matters.
  [[nodiscard]] bool may_be_better(int candidate) const;
  /// Whether more calls of it would still tell more.
  [[nodiscard]] bool has_room(int candidate) const { return calls(candidate) < most_calls * calls_each_; }
  /// Whether no more calls are needed: it had all, is probably slower than the best, or cannot serve.
  [[nodiscard]] bool known(int candidate) const;
  /// Whether it was tried, and needs more calls.
  [[nodiscard]] bool begun(int candidate) const { return tried(candidate) && !known(candidate); }
  /// Whether it got fewer calls than others, because it is probably slower.
  [[nodiscard]] bool given_up(int candidate) const { return known(candidate) && calls(candidate) < calls_each_; }
  [[nodiscard]] std::int64_t calls_each() const { return calls_each_; }
  [[nodiscard]] bool gives_up() const { return gives_up_; }
  /// Measured in this run.
  [[nodiscard]] bool is_own(int candidate) const { return at(candidate).own_calls() > 0; }
  /// The standard deviation of single calls, in seconds, outliers included; nothing where it is not known.
  [[nodiscard]] std::optional<double> deviation(int candidate) const;

 private:
  /// That many times the calls of each tell no more.
  static constexpr std::int64_t most_calls = 4;
  static constexpr float unknown = std::numeric_limits<float>::infinity();

  /// There are many candidates in each context.
  struct One {
    float time = unknown;
    std::uint32_t count : 29 = 0;
    bool own : 1 = false;  ///< these calls are of this run
    bool eligible : 1 = false;
    bool put_off : 1 = false;
    [[nodiscard]] std::size_t own_calls() const { return own ? std::size_t{count} : 0; }
    void set_calls(std::size_t calls) {
      constexpr std::uint32_t most = (1U << 29U) - 1;
      count = static_cast<std::uint32_t>(std::min<std::size_t>(calls, most)) & most;
    }
  };
  /// What is kept of a call: there are many in each context. Where ranks began it together, the fastest rank's time
  /// counts as the slowest one's, for then nobody waited.
  struct Kept {
    ShortTime slowest;
    ShortTime fastest;
  };

  [[nodiscard]] const One& at(int candidate) const {
    static const One not_eligible;
    const One* const one = all_.find(static_cast<std::size_t>(candidate));
    return one == nullptr ? not_eligible : *one;
  }
  [[nodiscard]] One* find(int candidate) { return all_.find(static_cast<std::size_t>(candidate)); }
  /// Where the calls of a candidate begin in `calls_`.
  [[nodiscard]] std::size_t first_of(const One& candidate) const;
  void keep(One& candidate, std::span<const AgreedCall> calls);
  void drop(One& candidate, std::size_t calls);
  [[nodiscard]] double seconds(int candidate, const AgreedCall& call) const;
  [[nodiscard]] std::vector<double> own_times(int candidate) const;
  /// Whether it is slower than the other one by more than so many standard deviations.
  [[nodiscard]] bool is_slower(int candidate, int than, double deviations) const;
  [[nodiscard]] double spread_between(int one, int other) const;
  [[nodiscard]] double location(std::span<const double> times) const;
  void update();

  int candidates_;
  OfFew<One> all_;            ///< of those that were eligible before the first call
  std::vector<Kept> calls_;   ///< of this run: those of the first of `all_`, then those of the next, ...
  std::vector<float> works_;  ///< of the same calls, where it varies
  OutlierRule rule_;
  std::int64_t calls_each_;
  bool gives_up_;
  double scatter_ = first_scatter;
  Waiting waiting_;
  std::unique_ptr<WorkScale> scale_;  ///< null where the work does not vary
};

}  // namespace starling
