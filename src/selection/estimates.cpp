#include "selection/estimates.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "measurement/statistics.hpp"
#include "selection/noise.hpp"

namespace starling {
namespace {

/// Calls that nothing else shows to scatter do so by this.
constexpr double least_scatter_shown = 0.02;
/// From this scatter on, the lower quartile stands for a candidate's times: what makes times scatter that much, as late
/// ranks do, is added to them.
constexpr double heavy_scatter = 0.35;
/// A median's variance as a multiple of a mean's, for normally distributed values.
constexpr double of_median = std::numbers::pi / 2;
/// A candidate of which nothing is known, against native. Of the candidates on the emulated clusters of docs/results
/// the mean of the logarithm is 0.33 and its standard deviation 0.81.
constexpr Estimate of_unknown{0.35, 0.8};
/// The standard deviation of a group's error around that of the source of its beliefs, and of a member's around it.
constexpr double of_group = 0.2;
/// A group's error of d standard deviations weighs 1 / (1 + outlying d^2); found in so many passes.
constexpr double outlying = 0.5;
constexpr int passes = 4;
/// Candidates of which nothing is known but others of their group: a member's deviation.
constexpr double of_member = 0.35;
/// Times of before a change: what they are off in common, and each.
constexpr double aged_common = 0.4;
constexpr double aged_spread = 0.2;
/// The share of calls that something else disturbs, and the density of their times' logarithms.
constexpr double disturbed = 0.05;
constexpr double density_of_disturbed = 0.2;
/// The density of a normal distribution is that where it is one standard deviation wide.
constexpr double density_of_normal = 0.39894;

double square(double value) {
  return value * value;
}

double normal_density(double value, double deviation) {
  return density_of_normal / deviation * std::exp(-square(value / deviation) / 2);
}

std::vector<double> doubles(std::span<const float> values) {
  return {values.begin(), values.end()};
}

/// The mean, what is far from the median pulled near to it: slow calls that are a candidate's own count, but one alone
/// says little. The median of few.
double location(const std::vector<double>& logs, double middle) {
  constexpr std::ptrdiff_t few = 7;
  constexpr double far = 0.3;
  if (std::ssize(logs) <= few) return middle;
  double sum = 0;
  for (const double one : logs) sum += std::clamp(one, middle - far, middle + far);
  return sum / static_cast<double>(logs.size());
}

}  // namespace

Belief belief_of_model(double seconds) {
  return {.seconds = seconds, .spread = 0.33, .source = "the cost model", .common_spread = 0.4};
}

Prospect prospect(const Estimate& candidate, const Estimate& reference) {
  const double spread = std::max(1e-6, std::hypot(candidate.spread, reference.spread));
  const double mean = candidate.log_seconds - reference.log_seconds;
  const double ratio = std::exp(mean + (square(spread) / 2));
  const double gain = normal_below(-mean / spread) - (ratio * normal_below((-mean / spread) - spread));
  return {std::max(0.0, gain), std::max(0.0, gain + ratio - 1)};
}

Estimates::Estimates(std::shared_ptr<const GroupNumbers> groups)
    : all_(std::min<std::size_t>(groups->of.size(), 2)), groups_(std::move(groups)), scatter_(first_scatter) {
  for (std::size_t i = 0; i < all_.size(); ++i) all_[i].group = groups_->of[i];
}

/// A candidate's own estimate, to be changed.
Estimates::One& Estimates::own(int candidate) {
  if (candidate > 0 && all_.size() < groups_->of.size()) {
    all_.reserve(groups_->of.size());
    const One& unknown = all_.back();
    const float expected_log = unknown.expected_log;
    const float expected_spread = unknown.expected_spread;
    while (all_.size() < groups_->of.size()) {
      One& one = all_.emplace_back();
      one.expected_log = expected_log;
      one.expected_spread = expected_spread;
      one.group = groups_->of[all_.size() - 1];
    }
  }
  return all_[static_cast<std::size_t>(candidate)];
}

void Estimates::believe(int candidate, const Belief& belief) {
  One& one = own(candidate);
  one.source = belief.source;
  one.believed_log = static_cast<float>(std::log(belief.seconds));
  one.believed_spread = static_cast<float>(belief.spread);
  one.common_spread = static_cast<float>(belief.common_spread);
  one.believed = true;
  one.proven = belief.is_proven;
}

void Estimates::add(int candidate, double seconds) {
  std::unique_ptr<Measured>& measured = own(candidate).measured;
  if (!measured) measured = std::make_unique<Measured>();
  const auto value = static_cast<float>(std::log(seconds));
  ++measured->count;
  if (measured->logs.size() < window) {
    measured->logs.push_back(value);
    return;
  }
  measured->logs[measured->oldest] = value;
  measured->oldest = static_cast<std::uint8_t>((measured->oldest + 1) % window);
}

double Estimates::shortest(int candidate) const {
  const Measured* const measured = at(candidate).measured.get();
  if (measured == nullptr) return 0;
  return std::exp(static_cast<double>(*std::min_element(measured->logs.begin(), measured->logs.end())));
}

void Estimates::scale(int candidate, double factor) {
  const auto shift = static_cast<float>(std::log(factor));
  if (Measured* const measured = own(candidate).measured.get())
    for (float& value : measured->logs) value += shift;
}

void Estimates::age() {
  for (One& one : all_) {
    if (!one.measured) continue;
    one.source = "calls before the network changed";
    one.believed_log = static_cast<float>(starling::median(doubles(one.measured->logs)));
    one.believed_spread = static_cast<float>(aged_spread);
    one.common_spread = static_cast<float>(aged_common);
    one.believed = true;
    one.proven = false;
    one.measured.reset();
  }
}

void Estimates::update() {
  for (One& one : all_) {
    if (!one.measured) continue;
    const std::vector<double> logs = doubles(one.measured->logs);
    const double middle = starling::median(logs);
    one.measured->middle = static_cast<float>(middle);
    one.measured->located = static_cast<float>(location(logs, one.measured->middle));
  }
  update_scatter();
  if (scatter_ > heavy_scatter)
    for (One& one : all_)
      if (one.measured) one.measured->located = static_cast<float>(quantile(doubles(one.measured->logs), 0.25));
  std::vector<Interned> done;
  for (const One& one : all_) {
    if (!one.believed || std::find(done.begin(), done.end(), one.source) != done.end()) continue;
    done.push_back(one.source);
    expect_by_source(one.source);
  }
  expect_without_belief();
}

void Estimates::update_scatter() {
  std::vector<double> deviations;
  for (const One& one : all_) {
    if (!one.measured || one.measured->logs.size() < 2) continue;
    const Measured& measured = *one.measured;
    // Around the middle of few values they scatter less than around the true one.
    const auto times = static_cast<double>(measured.logs.size());
    const double wider = std::sqrt(times / (times - 1));
    for (const float value : measured.logs)
      deviations.push_back(wider * std::abs(static_cast<double>(value - measured.middle)));
  }
  if (deviations.empty()) return;
  constexpr double of_deviations = 1.4826;  // from the median absolute deviation to the standard deviation
  constexpr double weight_of_first = 4;
  const auto count = static_cast<double>(deviations.size());
  const double found = of_deviations * starling::median(deviations);
  scatter_ = std::clamp(((count * found) + (weight_of_first * first_scatter)) / (count + weight_of_first),
                        least_scatter_shown, most_scatter);
}

/// The errors of the beliefs of one source: what is common to all, what to each group, and each one's own. Given the
/// errors of measured candidates, the first two are known in part.
void Estimates::expect_by_source(const Interned& source) {
  struct Group {
    double errors = 0;
    double count = 0;
    double own = 0;  ///< variance of a member's own error
  };
  std::vector<Group> groups(groups_->number);
  double common = 0;
  for (const One& one : all_) {
    if (!one.believed || one.source != source) continue;
    common = std::max(common, square(static_cast<double>(one.common_spread)));
    Group& group = groups[one.group];
    group.own = square(static_cast<double>(one.believed_spread));
    if (!one.measured) continue;
    group.errors += static_cast<double>(one.measured->located - one.believed_log);
    ++group.count;
  }
  double mean = 0;
  double variance = common;
  // A group that the source is far more wrong about than about the others says little about those: it weighs less.
  for (int pass = 0; pass < passes && common > 0; ++pass) {
    double precision = 1 / common;
    double sum = 0;
    for (const Group& group : groups) {
      if (group.count == 0) continue;
      const double error = group.errors / group.count;
      const double usual = square(of_group) + ((group.own + square(scatter_)) / group.count);
      const double weight = 1 / (usual + (square(error - mean) * outlying));
      precision += weight;
      sum += weight * error;
    }
    mean = sum / precision;
    variance = 1 / precision;
  }
  for (One& one : all_) {
    if (!one.believed || one.source != source) continue;
    const Group& group = groups[one.group];
    const double left = 1 / ((1 / square(of_group)) + (group.count / group.own));
    const double of_this_group = left * (group.errors - (group.count * mean)) / group.own;
    one.expected_log = static_cast<float>(static_cast<double>(one.believed_log) + mean + of_this_group);
    one.expected_spread = static_cast<float>(std::sqrt(variance + left + group.own));
  }
}

/// Candidates without beliefs are expected near the best of their group: the fastest that was measured, else the one of
/// which the most is expected; else above native.
void Estimates::expect_without_belief() {
  std::vector<std::optional<Estimate>> best(groups_->number);
  const auto add = [&](const One& one, const Estimate& found) {
    std::optional<Estimate>& group = best[one.group];
    if (!group || found.log_seconds < group->log_seconds) group = found;
  };
  for (const One& one : std::span(all_).subspan(1))
    if (one.measured) add(one, {static_cast<double>(one.measured->located), of_member});
  const auto of_measured = best;
  for (const One& one : std::span(all_).subspan(1))
    if (one.believed && !one.measured && !of_measured[one.group])
      add(one,
          {static_cast<double>(one.expected_log), std::hypot(of_member, static_cast<double>(one.expected_spread))});
  const One& native = all_.front();
  const auto reference = static_cast<double>(native.measured   ? native.measured->located
                                             : native.believed ? native.believed_log
                                                               : 0);
  for (One& one : all_) {
    if (one.believed) continue;
    const std::optional<Estimate>& group = best[one.group];
    const Estimate expected = group ? Estimate{group->log_seconds + (of_member / 4), group->spread}
                                    : Estimate{reference + of_unknown.log_seconds, of_unknown.spread};
    one.expected_log = static_cast<float>(expected.log_seconds);
    one.expected_spread = static_cast<float>(expected.spread);
  }
}

Estimate Estimates::measured_alone(int candidate) const {
  const Measured& one = *at(candidate).measured;
  // Of two times the shorter counts: what disturbs a call makes it longer.
  const auto found = static_cast<double>(one.logs.size() == 2 ? std::min(one.logs[0], one.logs[1]) : one.located);
  const auto times = static_cast<double>(one.logs.size());
  const double scatter = scatter_ * std::sqrt(times < 3 ? 1 / times : of_median / times);
  return {found, std::hypot(scatter, static_cast<double>(one.doubt))};
}

Estimate Estimates::of(int candidate) const {
  const One& one = at(candidate);
  const Estimate before{static_cast<double>(one.expected_log), static_cast<double>(one.expected_spread)};
  if (!one.measured) return before;
  const Estimate found = measured_alone(candidate);
  if (candidate == 0 && !one.believed) return found;
  if (one.count() == 1 && found.log_seconds > before.log_seconds) {
    // A single time that is far above what was expected may be that of a call which something else disturbed.
    const double deviation = std::hypot(before.spread, found.spread);
    const double was_disturbed = disturbed * density_of_disturbed;
    const double was_not = (1 - disturbed) * normal_density(found.log_seconds - before.log_seconds, deviation);
    if (was_disturbed > was_not) return before;
  }
  const double of_before = square(found.spread) / (square(found.spread) + square(before.spread));
  return {found.log_seconds + (of_before * (before.log_seconds - found.log_seconds)),
          found.spread * std::sqrt(1 - of_before)};
}

}  // namespace starling
