#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <vector>

#include "measurement/statistics.hpp"

namespace starling {

/// The times of one candidate, in seconds. Adding one costs a few nanoseconds: sum and minimum are of all samples,
/// median and spread of the last `window`. Memory grows with the samples up to there, for most candidates get few.
class Samples {
 public:
  static constexpr std::size_t window = 64;

  void add(double seconds) {
    if (recent_.size() < window) {
      recent_.push_back(seconds);
    } else {
      recent_[next_] = seconds;
      next_ = (next_ + 1) % window;
    }
    ++count_;
    sum_ += seconds;
    min_ = std::min(min_, seconds);
  }

  /// Gives memory back: forgets the last samples, but not what is known of all of them, nor the median.
  void condense() {
    if (recent_.empty()) return;
    condensed_median_ = starling::median(recent_);
    std::vector<double>().swap(recent_);
  }

  [[nodiscard]] std::int64_t count() const { return count_; }
  /// Seconds spent in all samples together.
  [[nodiscard]] double sum() const { return sum_; }
  /// These are nothing while there are no samples.
  [[nodiscard]] std::optional<double> min() const { return known(min_); }
  [[nodiscard]] std::optional<double> mean() const { return known(sum_ / static_cast<double>(count_)); }
  [[nodiscard]] std::optional<double> median() const {
    return known(recent_.empty() ? condensed_median_ : starling::median(recent_));
  }
  /// The median absolute deviation.
  [[nodiscard]] std::optional<double> spread() const { return known(median_absolute_deviation(recent())); }
  /// The last samples, at most `window`, in no order.
  [[nodiscard]] std::span<const double> recent() const { return recent_; }

 private:
  [[nodiscard]] std::optional<double> known(double value) const {
    return count_ == 0 ? std::nullopt : std::optional(value);
  }

  std::int64_t count_ = 0;
  double sum_ = 0;
  double min_ = std::numeric_limits<double>::infinity();
  std::vector<double> recent_;
  std::size_t next_ = 0;  ///< place of the oldest of them, when there are `window`
  double condensed_median_ = 0;
};

}  // namespace starling
