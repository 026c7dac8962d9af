#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "measurement/statistics.hpp"

namespace starling {

/// The times of one candidate, in seconds. Adding one costs a few nanoseconds: count and minimum are of all samples,
/// the median of the last `window`. There are many objects with few samples each: memory grows with the samples, up to
/// the window, and keeps them in single precision.
class Samples {
 public:
  static constexpr std::uint8_t window = 64;

  void add(double seconds) {
    const auto one = static_cast<float>(seconds);
    if (kept_ < window) {
      if (kept_ == room_) grow();
      recent_[kept_++] = one;
    } else {
      recent_[oldest_] = one;
      oldest_ = static_cast<std::uint8_t>((oldest_ + 1) % window);
    }
    ++count_;
    min_ = std::min(min_, seconds);
  }

  /// Frees memory: forgets the last samples, but keeps count, minimum and median.
  void condense() {
    if (kept_ == 0) return;
    condensed_median_ = static_cast<float>(median_of_recent());
    recent_.reset();
    kept_ = oldest_ = room_ = 0;
  }

  /// Frees memory: keeps the latest few samples, and count and minimum.
  void shorten() {
    if (room_ <= first_room) return;
    const std::uint8_t more = std::min(kept_, first_room);
    auto latest = std::make_unique<float[]>(first_room);
    for (int i = 0; i < more; ++i) latest[i] = recent_[(oldest_ + kept_ - more + i) % kept_];
    recent_ = std::move(latest);
    kept_ = more;
    oldest_ = 0;
    room_ = first_room;
  }

  [[nodiscard]] std::int64_t count() const { return count_; }
  /// Minimum and median are nothing while there are no samples.
  [[nodiscard]] std::optional<double> min() const { return known(min_); }
  [[nodiscard]] std::optional<double> median() const {
    return known(kept_ == 0 ? static_cast<double>(condensed_median_) : median_of_recent());
  }

 private:
  /// Room grows to what blocks of 24, 56, 120 and 248 bytes hold: those that malloc hands out use no more than a
  /// power of two, with its own 8 bytes.
  static constexpr std::uint8_t first_room = 6;

  void grow() {
    constexpr int second_to_last = 30;
    const auto more = room_ == 0               ? first_room
                      : room_ < second_to_last ? static_cast<std::uint8_t>((2 * room_) + 2)
                                               : window;
    auto longer = std::make_unique<float[]>(more);
    std::copy_n(recent_.get(), kept_, longer.get());
    recent_ = std::move(longer);
    room_ = more;
  }
  [[nodiscard]] double median_of_recent() const {
    return starling::median(std::vector<double>(recent_.get(), recent_.get() + kept_));
  }
  [[nodiscard]] std::optional<double> known(double value) const {
    return count_ == 0 ? std::nullopt : std::optional(value);
  }

  std::int64_t count_ = 0;
  double min_ = std::numeric_limits<double>::infinity();
  std::unique_ptr<float[]> recent_;  ///< in no order
  float condensed_median_ = 0;
  std::uint8_t kept_ = 0;    ///< samples in recent_
  std::uint8_t room_ = 0;    ///< capacity of recent_
  std::uint8_t oldest_ = 0;  ///< place of the oldest sample, once there are `window`
};

}  // namespace starling
