#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "measurement/short_time.hpp"
#include "measurement/statistics.hpp"

namespace starling {

/// The times of one candidate, in seconds. Adding one costs a few nanoseconds: the minimum is of all samples, the
/// median of the last `window`. Calls without a time count too. There are many objects with few samples each: memory
/// grows with the samples, up to the window, and keeps them as `ShortTime`.
class Samples {
 public:
  static constexpr std::uint8_t window = 60;

  void add(double seconds) {
    const ShortTime one(seconds);
    if (kept_ < window) {
      if (kept_ == room()) grow();
      recent_[kept_++] = one;
    } else {
      recent_[oldest_] = one;
      const unsigned next = oldest_ + 1U;
      oldest_ = next < window ? next & most_places : 0U;
    }
    ++count_;
    min_ = std::min(min_, static_cast<float>(seconds));
  }

  /// Counts a call whose time is not known, after one whose time is.
  void add_untimed() { ++count_; }
  /// Frees memory: forgets the last samples, but keeps count, minimum and median.
  void condense() {
    if (kept_ == 0) return;
    condensed_median_ = ShortTime(median_of_recent());
    recent_.reset();
    kept_ = oldest_ = step_ = 0;
  }

  [[nodiscard]] std::int64_t count() const { return count_; }
  /// Minimum and median are nothing while there are no samples.
  [[nodiscard]] std::optional<double> min() const { return known(static_cast<double>(min_)); }
  [[nodiscard]] std::optional<double> median() const {
    return known(kept_ == 0 ? condensed_median_.seconds() : median_of_recent());
  }

 private:
  /// What there is room for, step by step: blocks of 24, 56 and 120 bytes, those that malloc hands out.
  static constexpr std::array<std::uint8_t, 4> rooms{0, 12, 28, window};

  static constexpr unsigned most_places = (1U << 7U) - 1;  ///< that `kept_` and `oldest_` have bits for
  static_assert(window < most_places);

  [[nodiscard]] std::uint8_t room() const { return rooms[step_]; }
  void grow() {
    ++step_;
    auto longer = std::make_unique<ShortTime[]>(room());
    std::copy_n(recent_.get(), kept_, longer.get());
    recent_ = std::move(longer);
  }
  [[nodiscard]] double median_of_recent() const {
    std::vector<double> times(kept_);
    std::transform(recent_.get(), recent_.get() + kept_, times.begin(), [](ShortTime one) { return one.seconds(); });
    return starling::median(std::move(times));
  }
  [[nodiscard]] std::optional<double> known(double value) const {
    return count_ == 0 ? std::nullopt : std::optional(value);
  }

  std::int64_t count_ = 0;
  std::unique_ptr<ShortTime[]> recent_;  ///< in no order
  float min_ = std::numeric_limits<float>::infinity();
  ShortTime condensed_median_;
  std::uint16_t kept_ : 7 = 0;    ///< samples in recent_
  std::uint16_t oldest_ : 7 = 0;  ///< place of the oldest sample, once there are `window`
  std::uint16_t step_ : 2 = 0;    ///< of `rooms`
};

}  // namespace starling
