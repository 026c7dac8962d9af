#include "selection/outlook.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "selection/noise.hpp"

namespace starling {
namespace {

/// Hypotheses: the standard deviation of candidates' logarithms, and the share of its square that is a candidate's own.
constexpr std::array spreads{0.05, 0.1, 0.2, 0.4, 0.8, 1.6};
constexpr std::array own_shares{0.03, 0.15, 0.5};

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

}  // namespace

Outlook::Outlook(const AttributeSpace& space, const Trials& trials, double margin) {
  std::vector<int> tried;
  std::vector<double> logs;
  for (const int member : space.members()) {
    if (!trials.eligible(member)) continue;
    if (!trials.tried(member)) {
      chances_.push_back({member, 0, {0, 0}});
      continue;
    }
    tried.push_back(member);
    logs.push_back(std::log(trials.time(member)));
  }
  if (chances_.empty()) return;
  const std::size_t size = tried.size();
  const double goal = std::log(trials.time(trials.best())) + std::log(std::max(1e-6, 1 - margin));

  struct Hypothesis {
    double weight;  ///< logarithm
    std::vector<Estimate> expected;
  };
  std::vector<Hypothesis> hypotheses;
  for (const double spread : spreads)
    for (const double own : own_shares) {
      const auto covariance = [&](int one, int other) {
        return spread * spread * (((1 - own) * space.likeness(one, other)) + (one == other ? own : 0));
      };
      std::vector<double> lower(size * size);
      for (std::size_t row = 0; row < size; ++row) {
        for (std::size_t column = 0; column < size; ++column)
          lower[(row * size) + column] = covariance(tried[row], tried[column]);
        lower[(row * size) + row] += trials.scatter() * trials.scatter() /
                                     static_cast<double>(std::max<std::int64_t>(1, trials.calls(tried[row])));
      }
      factorise(lower, size);
      std::vector<double> ones(size, 1);
      std::vector<double> errors = logs;
      substitute(lower, ones);
      substitute(lower, errors);
      const double precision = product(ones, ones);
      const double mean = product(ones, errors) / precision;
      for (std::size_t i = 0; i < size; ++i) errors[i] -= mean * ones[i];
      double weight = -(product(errors, errors) + std::log(precision)) / 2;
      for (std::size_t i = 0; i < size; ++i) weight -= std::log(lower[(i * size) + i]);
      Hypothesis& hypothesis = hypotheses.emplace_back(Hypothesis{weight, {}});
      for (const Chance& one : chances_) {
        std::vector<double> shared(size);
        for (std::size_t i = 0; i < size; ++i) shared[i] = covariance(one.candidate, tried[i]);
        substitute(lower, shared);
        const double known = 1 - product(ones, shared);
        const double variance =
            covariance(one.candidate, one.candidate) - product(shared, shared) + (known * known / precision);
        hypothesis.expected.push_back({mean + product(shared, errors), std::sqrt(std::max(variance, 1e-12))});
      }
    }
  const double most = std::max_element(hypotheses.begin(), hypotheses.end(), [](const auto& one, const auto& other) {
                        return one.weight < other.weight;
                      })->weight;
  double weights = 0;
  for (const Hypothesis& one : hypotheses) {
    const double weight = std::exp(one.weight - most);
    weights += weight;
    for (std::size_t i = 0; i < chances_.size(); ++i) {
      const auto [log_seconds, spread] = one.expected[i];
      chances_[i].probability += weight * normal_below((goal - log_seconds) / spread);
      chances_[i].expected.log_seconds += weight * log_seconds;
      chances_[i].expected.spread += weight * ((spread * spread) + (log_seconds * log_seconds));
    }
  }
  for (Chance& one : chances_) {
    one.probability /= weights;
    const double mean = one.expected.log_seconds / weights;
    one.expected = {mean, std::sqrt(std::max(0.0, (one.expected.spread / weights) - (mean * mean)))};
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
