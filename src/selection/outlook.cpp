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

/// A number for each of `spreads`: hypotheses that differ in nothing else are worked out together, since their steps do
/// not wait for each other.
using Lanes = std::array<double, spreads.size()>;

template <class Of>
Lanes lanes(const Of& of) {
  Lanes found;
  for (std::size_t i = 0; i < found.size(); ++i) found[i] = of(i);
  return found;
}

/// What is known of the candidates that were tried.
struct Measured {
  std::vector<double> logs;       ///< the logarithms of their seconds
  std::vector<double> variances;  ///< of these
};

/// Subtracts a product from each, or adds one.
void subtract_product(Lanes& from, Lanes one, Lanes other) {
  for (std::size_t i = 0; i < from.size(); ++i) from[i] -= one[i] * other[i];
}

void add_product(Lanes& to, Lanes one, Lanes other) {
  for (std::size_t i = 0; i < to.size(); ++i) to[i] += one[i] * other[i];
}

void divide(Lanes& some, Lanes by) {
  for (std::size_t i = 0; i < some.size(); ++i) some[i] /= by[i];
}

/// Lower triangular matrices with L L' = A, in place (Cholesky). `a` has `size` rows.
void factorise(std::span<Lanes> a, std::size_t size) {
  for (std::size_t k = 0; k < size; ++k) {
    constexpr double least = 1e-12;
    Lanes& corner = a[(k * size) + k];
    corner = lanes([&](std::size_t i) { return std::sqrt(std::max(corner[i], least)); });
    for (std::size_t row = k + 1; row < size; ++row) divide(a[(row * size) + k], corner);
    for (std::size_t row = k + 1; row < size; ++row)
      for (std::size_t column = k + 1; column <= row; ++column)
        subtract_product(a[(row * size) + column], a[(row * size) + k], a[(column * size) + k]);
  }
}

/// L x = b, in place.
void substitute(std::span<const Lanes> lower, std::span<Lanes> b) {
  for (std::size_t k = 0; k < b.size(); ++k) {
    divide(b[k], lower[(k * b.size()) + k]);
    for (std::size_t row = k + 1; row < b.size(); ++row) subtract_product(b[row], lower[(row * b.size()) + k], b[k]);
  }
}

/// Adds to `sums` a factor times each of `values`.
void add(std::span<double> sums, double factor, std::span<const double> values) {
  for (std::size_t i = 0; i < sums.size(); ++i) sums[i] += factor * values[i];
}

/// The density of a standard normal variable.
double normal_density(double value) {
  return std::exp(-value * value / 2) / std::sqrt(2 * std::numbers::pi);
}

/// What hypotheses make of the times measured: one for each of `spreads`, the standard deviations of candidates'
/// logarithms. The share `own` of its square is a candidate's own, the rest is what candidates are alike in.
class Fits {
 public:
  Fits(double own, const Likeness& likeness, const Measured& measured)
      : likeness_(likeness),
        own_(own),
        size_(measured.logs.size()),
        lower_(size_ * size_),
        ones_(size_),
        errors_(size_) {
    for (std::size_t row = 0; row < size_; ++row) {
      for (std::size_t column = 0; column < row; ++column)
        lower_[(row * size_) + column] = covariances(likeness_.of_tried[(row * size_) + column]);
      lower_[(row * size_) + row] =
          lanes([&](std::size_t i) { return variance(spreads[i]) + measured.variances[row]; });
      ones_[row].fill(1);
      errors_[row].fill(measured.logs[row]);
    }
    factorise(lower_, size_);
    substitute(lower_, ones_);
    substitute(lower_, errors_);
    for (std::size_t row = 0; row < size_; ++row) {
      add_product(precisions_, ones_[row], ones_[row]);
      add_product(means_, ones_[row], errors_[row]);
    }
    divide(means_, precisions_);
    for (std::size_t row = 0; row < size_; ++row) subtract_product(errors_[row], means_, ones_[row]);
  }

  /// The logarithm of how well each explains the times, but for what all hypotheses have in common.
  [[nodiscard]] Lanes log_weights() const {
    Lanes squares{};
    Lanes weights{};
    for (std::size_t row = 0; row < size_; ++row) {
      add_product(squares, errors_[row], errors_[row]);
      for (std::size_t i = 0; i < weights.size(); ++i) weights[i] -= std::log(lower_[(row * size_) + row][i]);
    }
    for (std::size_t i = 0; i < weights.size(); ++i) weights[i] -= (squares[i] + std::log(precisions_[i])) / 2;
    return weights;
  }

  /// What one of them expects of each candidate that was not tried.
  [[nodiscard]] std::vector<Estimate> expected(std::size_t lane) const {
    std::vector<double> shared = likeness_.of_others;
    const std::size_t others = shared.size() / size_;
    const double factor = spreads[lane] * spreads[lane] * (1 - own_);
    for (double& one : shared) one *= factor;
    std::vector<double> known(others);
    std::vector<double> log_seconds(others, means_[lane]);
    std::vector<double> squares(others);
    for (std::size_t k = 0; k < size_; ++k) {
      const std::span<double> values = std::span(shared).subspan(k * others, others);
      const double corner = 1 / lower_[(k * size_) + k][lane];
      for (double& one : values) one *= corner;
      for (std::size_t row = k + 1; row < size_; ++row)
        add(std::span(shared).subspan(row * others, others), -lower_[(row * size_) + k][lane], values);
      add(known, ones_[k][lane], values);
      add(log_seconds, errors_[k][lane], values);
      for (std::size_t i = 0; i < others; ++i) squares[i] += values[i] * values[i];
    }
    std::vector<Estimate> found(others);
    for (std::size_t i = 0; i < others; ++i) {
      const double variance =
          this->variance(spreads[lane]) - squares[i] + ((1 - known[i]) * (1 - known[i]) / precisions_[lane]);
      found[i] = {log_seconds[i], std::sqrt(std::max(variance, 1e-12))};
    }
    return found;
  }

 private:
  /// Of one candidate.
  [[nodiscard]] double variance(double spread) const {
    return spread * spread * (((1 - own_) * likeness_.of_tried.front()) + own_);
  }
  /// Of two.
  [[nodiscard]] Lanes covariances(double likeness) const {
    return lanes([&](std::size_t i) { return spreads[i] * spreads[i] * ((1 - own_) * likeness); });
  }

  const Likeness& likeness_;  ///< by the shares of attributes
  double own_;
  std::size_t size_;
  std::vector<Lanes> lower_;  ///< Cholesky factors of the covariances of the times measured
  std::vector<Lanes> ones_;
  std::vector<Lanes> errors_;
  Lanes precisions_{};
  Lanes means_{};
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
  constexpr double negligible = 12;
  double most = -std::numeric_limits<double>::infinity();  // of the logarithms of weights so far
  double sum = 0;                                          // of weights, by which those of `chances_` are multiplied
  for (const std::vector<double>& shares : all_shares(space.likenesses())) {
    const Likeness likeness = likeness_by(shares, space, tried, chances_);
    for (const double own : own_shares) {
      const Fits fits(own, likeness, measured);
      const Lanes log_weights = fits.log_weights();
      if (const double more = *std::max_element(log_weights.begin(), log_weights.end()); more > most) {
        const double factor = std::exp(most - more);
        most = more;
        sum *= factor;
        for (Chance& one : chances_)
          one = {one.candidate,
                 one.probability * factor,
                 {one.expected.log_seconds * factor, one.expected.spread * factor},
                 one.gain * factor};
      } else if (more < most - negligible) {
        continue;
      }
      for (std::size_t lane = 0; lane < log_weights.size(); ++lane) {
        if (log_weights[lane] < most - negligible) continue;
        const double weight = std::exp(log_weights[lane] - most);
        sum += weight;
        const std::vector<Estimate> expected = fits.expected(lane);
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
