#include "measurement/statistics.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace starling {
namespace {

constexpr double unknown = std::numeric_limits<double>::quiet_NaN();

}  // namespace

double median(std::span<const double> samples) {
  return quantile(samples, 0.5);
}

double quantile(std::span<const double> samples, double share) {
  if (samples.empty()) return unknown;
  std::vector<double> ordered(samples.begin(), samples.end());
  const double place = std::clamp(share, 0.0, 1.0) * static_cast<double>(ordered.size() - 1);
  const double whole = std::floor(place);
  const auto below = ordered.begin() + static_cast<std::ptrdiff_t>(whole);
  std::nth_element(ordered.begin(), below, ordered.end());
  if (whole == place) return *below;
  return std::lerp(*below, *std::min_element(below + 1, ordered.end()), place - whole);
}

double filtered_mean(std::span<const double> samples, const OutlierRule& rule) {
  if (samples.empty()) return unknown;
  const double bound = rule.factor * *std::min_element(samples.begin(), samples.end());
  double all = 0;
  double kept = 0;
  std::size_t outliers = 0;
  for (const double sample : samples) {
    all += sample;
    if (sample >= bound) {
      ++outliers;
    } else {
      kept += sample;
    }
  }
  const auto count = static_cast<double>(samples.size());
  if (static_cast<double>(outliers) < rule.fraction * count)
    return kept / static_cast<double>(samples.size() - outliers);
  return all / count;
}

}  // namespace starling
