#include "selection/outlook.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numbers>
#include <span>

#include "selection/noise.hpp"

namespace starling {
namespace {

constexpr std::array spreads{0.05, 0.1, 0.2, 0.4, 0.8, 1.6};
constexpr std::array own_shares{0.03, 0.15, 0.5};
/// What an attribute that matters more than all others has of what attributes add; the others share the rest.
constexpr double most_of_it = 0.8;

/// The share that each attribute has of what attributes add, by hypothesis, the kind counted as one of them; shares add
/// up to 1.
std::vector<std::vector<double>> all_shares(int attributes) {
  const auto count = static_cast<std::size_t>(attributes);
  std::vector<std::vector<double>> shares{std::vector<double>(count, 1.0 / std::max(1, attributes))};
  if (attributes > 1)
    for (std::size_t one = 0; one < count; ++one) {
      std::vector<double>& of_others = shares.emplace_back(count, (1 - most_of_it) / (attributes - 1));
      of_others[one] = most_of_it;
    }
  return shares;
}

/// How alike each candidate that was tried is to each of these, and each that was not, by one hypothesis on the shares
/// of attributes: a row for each tried one.
struct Likeness {
  std::vector<double> of_tried;
  std::vector<double> of_others;
};

Likeness likeness_by(const std::vector<double>& shares, const AttributeSpace& space, const std::vector<int>& tried,
                     const std::vector<Outlook::Chance>& others) {
  Likeness found;
  for (const int one : tried)
    for (const int other : tried) found.of_tried.push_back(space.likeness(one, other, shares));
  for (const int one : tried)
    for (const Outlook::Chance& other : others) found.of_others.push_back(space.likeness(one, other.candidate, shares));
  return found;
}

struct Hypothesis {
  double spread;             ///< the standard deviation of candidates' logarithms
  double own;                ///< the share of its square that is a candidate's own
  const Likeness* likeness;  ///< by the shares of attributes
};

/// What is known of the candidates that were tried.
struct Measured {
  std::vector<double> logs;       ///< the logarithms of their seconds
  std::vector<double> variances;  ///< of these
};

/// A lower triangular matrix with L L' = A, in place (Cholesky). `a` has `size` rows. Here and below inner loops have
/// steps that do not wait for each other.
void factorise(std::vector<double>& a, std::size_t size) {
  for (std::size_t k = 0; k < size; ++k) {
    constexpr double least = 1e-12;
    double& corner = a[(k * size) + k];
    corner = std::sqrt(std::max(corner, least));
    for (std::size_t row = k + 1; row < size; ++row) a[(row * size) + k] /= corner;
    for (std::size_t row = k + 1; row < size; ++row)
      for (std::size_t column = k + 1; column <= row; ++column)
        a[(row * size) + column] -= a[(row * size) + k] * a[(column * size) + k];
  }
}

/// L X = B, in place. `b` has as many rows as `lower`, of `columns` each.
void substitute(const std::vector<double>& lower, std::span<double> b, std::size_t columns) {
  const std::size_t size = b.size() / columns;
  for (std::size_t k = 0; k < size; ++k) {
    const std::span<double> known = b.subspan(k * columns, columns);
    for (double& one : known) one /= lower[(k * size) + k];
    for (std::size_t row = k + 1; row < size; ++row) {
      const double factor = lower[(row * size) + k];
      const std::span<double> open = b.subspan(row * columns, columns);
      for (std::size_t i = 0; i < columns; ++i) open[i] -= factor * known[i];
    }
  }
}

double product(std::span<const double> one, std::span<const double> other) {
  double sum = 0;
  for (std::size_t i = 0; i < one.size(); ++i) sum += one[i] * other[i];
  return sum;
}

/// Adds to `sums` a factor times each of `values`.
void add(std::span<double> sums, double factor, std::span<const double> values) {
  for (std::size_t i = 0; i < sums.size(); ++i) sums[i] += factor * values[i];
}

/// The density of a standard normal variable.
double normal_density(double value) {
  return std::exp(-value * value / 2) / std::sqrt(2 * std::numbers::pi);
}

/// What a hypothesis makes of the times measured.
class Fit {
 public:
  Fit(const Hypothesis& hypothesis, const Measured& measured)
      : hypothesis_(hypothesis), size_(measured.logs.size()), lower_(hypothesis.likeness->of_tried) {
    for (std::size_t row = 0; row < size_; ++row) {
      for (std::size_t column = 0; column < row; ++column)
        lower_[(row * size_) + column] = covariance(lower_[(row * size_) + column]);
      lower_[(row * size_) + row] = variance() + measured.variances[row];
    }
    factorise(lower_, size_);
    ones_.assign(size_, 1);
    errors_ = measured.logs;
    substitute(lower_, ones_, 1);
    substitute(lower_, errors_, 1);
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

  /// What is expected of each that was not tried.
  [[nodiscard]] std::vector<Estimate> expected() const {
    std::vector<double> shared = hypothesis_.likeness->of_others;
    const std::size_t others = shared.size() / size_;
    for (double& one : shared) one = covariance(one);
    substitute(lower_, shared, others);
    std::vector<double> of_mean(others);
    std::vector<double> of_errors(others);
    std::vector<double> squares(others);
    for (std::size_t row = 0; row < size_; ++row) {
      const std::span<const double> values = std::span(shared).subspan(row * others, others);
      add(of_mean, ones_[row], values);
      add(of_errors, errors_[row], values);
      for (std::size_t i = 0; i < others; ++i) squares[i] += values[i] * values[i];
    }
    std::vector<Estimate> found(others);
    for (std::size_t i = 0; i < others; ++i) {
      const double known = 1 - of_mean[i];
      const double variance = this->variance() - squares[i] + (known * known / precision_);
      found[i] = {mean_ + of_errors[i], std::sqrt(std::max(variance, 1e-12))};
    }
    return found;
  }

 private:
  /// Of one candidate.
  [[nodiscard]] double variance() const {
    const double of_itself = hypothesis_.likeness->of_tried.front();
    return hypothesis_.spread * hypothesis_.spread * (((1 - hypothesis_.own) * of_itself) + hypothesis_.own);
  }
  /// Of two.
  [[nodiscard]] double covariance(double likeness) const {
    return hypothesis_.spread * hypothesis_.spread * ((1 - hypothesis_.own) * likeness);
  }

  Hypothesis hypothesis_;
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
  Measured measured;
  for (const int member : space.members()) {
    if (!trials.eligible(member)) continue;
    if (!trials.tried(member)) {
      chances_.push_back({member, 0, {0, 0}, 0});
      continue;
    }
    tried.push_back(member);
    measured.logs.push_back(std::log(trials.time(member)));
    measured.variances.push_back(trials.scatter() * trials.scatter() /
                                 static_cast<double>(std::max<std::int64_t>(1, trials.calls(member))));
  }
  if (chances_.empty()) return;
  const double best = std::log(trials.time(trials.best()));
  const double goal = best + std::log(std::max(1e-6, 1 - margin));
  std::vector<Likeness> likeness;
  for (const std::vector<double>& shares : all_shares(space.likenesses()))
    likeness.push_back(likeness_by(shares, space, tried, chances_));
  struct Weighed {
    double log_weight;
    Hypothesis hypothesis;
  };
  constexpr double negligible = 12;
  std::vector<Weighed> all;
  double most = -std::numeric_limits<double>::infinity();
  for (const Likeness& one : likeness)
    for (const double spread : spreads)
      for (const double own : own_shares) {
        const Hypothesis hypothesis{spread, own, &one};
        const double weight = Fit(hypothesis, measured).log_weight();
        most = std::max(most, weight);
        all.push_back({weight, hypothesis});
      }
  double sum = 0;
  for (const auto& [log_weight, hypothesis] : all) {
    if (log_weight < most - negligible) continue;
    const double weight = std::exp(log_weight - most);
    sum += weight;
    const std::vector<Estimate> expected = Fit(hypothesis, measured).expected();
    for (std::size_t i = 0; i < chances_.size(); ++i) {
      Chance& one = chances_[i];
      const auto [log_seconds, spread] = expected[i];
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
