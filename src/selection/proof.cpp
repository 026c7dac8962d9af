#include "selection/proof.hpp"

#include <cmath>

#include "selection/noise.hpp"

namespace starling {

void Proof::Stretches::add(double log_seconds) {
  ++count;
  const double before = log_seconds - mean;
  mean += before / count;
  squares += before * (log_seconds - mean);
}

/// Candidate, native, native, candidate, and so on: a steady change of the program's pace then favours neither.
int Proof::next() const {
  return made_ % 4 == 0 || made_ % 4 == 3 ? candidate_ : 0;
}

void Proof::add(double seconds) {
  of_[next() == 0 ? 0 : 1].add(std::log(seconds > shortest ? seconds : shortest));
  ++made_;
}

std::optional<Proof::Result> Proof::result(double expected) {
  constexpr double deviations = 2;
  /// Of one stretch: few of them may agree by chance.
  constexpr double least_scatter = 0.01;
  if (made_ < fewest || made_ % 2 != 0) return std::nullopt;
  const auto& [native, candidate] = of_;
  const double variance = (native.squares + candidate.squares) / (made_ - 2);
  const double scatter =
      std::sqrt(std::fmax(variance, least_scatter * least_scatter) * (1.0 / native.count + 1.0 / candidate.count));
  const double difference = candidate.mean - native.mean;
  const bool is_clear = std::abs(difference) > deviations * scatter;
  if (!is_clear && made_ < most) return std::nullopt;
  const bool is_faster = is_clear || scatter < expected ? difference < 0 : true;
  const Result found{is_faster, std::exp(candidate.mean), std::exp(native.mean)};
  *this = {};
  return found;
}

}  // namespace starling
