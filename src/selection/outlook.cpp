#include "selection/outlook.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <numbers>

#include "selection/noise.hpp"

namespace starling {
namespace {

constexpr std::array spreads{0.05, 0.1, 0.2, 0.4, 0.8, 1.6};
constexpr std::array own_shares{0.03, 0.15, 0.5};
/// What an attribute that matters more than all others has of what attributes add; the others share the rest.
constexpr double most_of_it = 0.8;

struct Hypothesis {
  double spread;  ///< the standard deviation of candidates' logarithms
  double own;     ///< the share of its square that is a candidate's own
  /// The share of the rest that each attribute has; they add up to 1.
  std::vector<double> attributes;
};

std::vector<Hypothesis> all_hypotheses(int attributes) {
  const auto count = static_cast<std::size_t>(attributes);
  std::vector<std::vector<double>> shares{std::vector<double>(count, 1.0 / std::max(1, attributes))};
  if (attributes > 1)
    for (std::size_t one = 0; one < count; ++one) {
      std::vector<double>& of_others = shares.emplace_back(count, (1 - most_of_it) / (attributes - 1));
      of_others[one] = most_of_it;
    }
  std::vector<Hypothesis> all;
  for (const std::vector<double>& of_attributes : shares)
    for (const double spread : spreads)
      for (const double own : own_shares) all.push_back({spread, own, of_attributes});
  return all;
}

/// A lower triangular matrix with L L' = A, in place (Cholesky). `a` has `size` rows.
void factorise(std::vector<double>& a, std::size_t size) {
  for (std::size_t row = 0; row < size; ++row)
    for (std::size_t column = 0; column <= row; ++column) {
      double sum = a[(row * size) + column];
      for (std::size_t k = 0; k < column; ++k) sum -= a[(row * size) + k] * a[(column * size) + k];
      constexpr double least = 1e-12;
      a[(row * size) + column] = row == column ? std::sqrt(std::max(sum, least)) : sum / a[(column * size) + column];
    }
}

/// L x = b, in place.
void substitute(const std::vector<double>& lower, std::vector<double>& b) {
  const std::size_t size = b.size();
  for (std::size_t row = 0; row < size; ++row) {
    for (std::size_t k = 0; k < row; ++k) b[row] -= lower[(row * size) + k] * b[k];
    b[row] /= lower[(row * size) + row];
  }
}

double product(const std::vector<double>& one, const std::vector<double>& other) {
  double sum = 0;
  for (std::size_t i = 0; i < one.size(); ++i) sum += one[i] * other[i];
  return sum;
}

/// The density of a standard normal variable.
double normal_density(double value) {
  return std::exp(-value * value / 2) / std::sqrt(2 * std::numbers::pi);
}

/// What a hypothesis makes of the times measured. It refers to all that it is made of.
class Fit {
 public:
  /// `logs`: the logarithms of the seconds of those `tried`.
  Fit(const Hypothesis& hypothesis, const AttributeSpace& space, const Trials& trials, const std::vector<int>& tried,
      const std::vector<double>& logs)
      : hypothesis_(hypothesis), space_(space), tried_(tried), size_(tried.size()), lower_(size_ * size_) {
    for (std::size_t row = 0; row < size_; ++row) {
      for (std::size_t column = 0; column <= row; ++column)
        lower_[(row * size_) + column] = covariance(tried[row], tried[column]);
      lower_[(row * size_) + row] += trials.scatter() * trials.scatter() /
                                     static_cast<double>(std::max<std::int64_t>(1, trials.calls(tried[row])));
    }
    factorise(lower_, size_);
    ones_.assign(size_, 1);
    errors_ = logs;
    substitute(lower_, ones_);
    substitute(lower_, errors_);
    precision_ = product(ones_, ones_);
    mean_ = product(ones_, errors_) / precision_;
    for (std::size_t i = 0; i < size_; ++i) errors_[i] -= mean_ * ones_[i];
  }

  /// The logarithm of how well it explains the times, but for what all hypotheses have in common.
  [[nodiscard]] double log_weight() const {
    double weight = -(product(errors_, errors_) + std::log(precision_)) / 2;
    for (std::size_t i = 0; i < size_; ++i) weight -= std::log(lower_[(i * size_) + i]);
    return weight;
  }

  /// What is expected of one that was not tried.
  [[nodiscard]] Estimate expected(int candidate) const {
    std::vector<double> shared(size_);
    for (std::size_t i = 0; i < size_; ++i) shared[i] = covariance(candidate, tried_[i]);
    substitute(lower_, shared);
    const double known = 1 - product(ones_, shared);
    const double variance = covariance(candidate, candidate) - product(shared, shared) + (known * known / precision_);
    return {mean_ + product(shared, errors_), std::sqrt(std::max(variance, 1e-12))};
  }

 private:
  [[nodiscard]] double covariance(int one, int other) const {
    const double own = one == other ? hypothesis_.own : 0;
    const double alike = space_.likeness(one, other, hypothesis_.attributes);
    return hypothesis_.spread * hypothesis_.spread * (((1 - hypothesis_.own) * alike) + own);
  }

  const Hypothesis& hypothesis_;
  const AttributeSpace& space_;
  const std::vector<int>& tried_;
  std::size_t size_;
  std::vector<double> lower_;  ///< Cholesky factor of the covariance of the times measured
  std::vector<double> ones_;
  std::vector<double> errors_;
  double precision_ = 1;
  double mean_ = 0;
};

}  // namespace

Outlook::Outlook(const AttributeSpace& space, const Trials& trials, double margin) {
  std::vector<int> tried;
  std::vector<double> logs;
  for (const int member : space.members()) {
    if (!trials.eligible(member)) continue;
    if (!trials.tried(member)) {
      chances_.push_back({member, 0, {0, 0}, 0});
      continue;
    }
    tried.push_back(member);
    logs.push_back(std::log(trials.time(member)));
  }
  if (chances_.empty()) return;
  const double best = std::log(trials.time(trials.best()));
  const double goal = best + std::log(std::max(1e-6, 1 - margin));
  const std::vector<Hypothesis> hypotheses = all_hypotheses(space.attributes());
  std::vector<double> weights;
  for (const Hypothesis& one : hypotheses) weights.push_back(Fit(one, space, trials, tried, logs).log_weight());
  const double most = *std::max_element(weights.begin(), weights.end());
  double sum = 0;
  for (std::size_t k = 0; k < hypotheses.size(); ++k) {
    constexpr double negligible = 12;
    if (weights[k] < most - negligible) continue;
    const double weight = std::exp(weights[k] - most);
    sum += weight;
    const Fit fit(hypotheses[k], space, trials, tried, logs);
    for (Chance& one : chances_) {
      const auto [log_seconds, spread] = fit.expected(one.candidate);
      one.probability += weight * normal_below((goal - log_seconds) / spread);
      const double ahead = (best - log_seconds) / spread;
      one.gain += weight * spread * ((ahead * normal_below(ahead)) + normal_density(ahead));
      one.expected.log_seconds += weight * log_seconds;
      one.expected.spread += weight * ((spread * spread) + (log_seconds * log_seconds));
    }
  }
  for (Chance& one : chances_) {
    one.probability /= sum;
    one.gain /= sum;
    const double mean = one.expected.log_seconds / sum;
    one.expected = {mean, std::sqrt(std::max(0.0, (one.expected.spread / sum) - (mean * mean)))};
  }
}

double Outlook::expected(int candidate) const {
  const auto found =
      std::find_if(chances_.begin(), chances_.end(), [&](const Chance& one) { return one.candidate == candidate; });
  return found->expected.seconds();
}

double Outlook::of_any() const {
  double none = 1;
  for (const Chance& one : chances_) none *= 1 - one.probability;
  return 1 - none;
}

}  // namespace starling
