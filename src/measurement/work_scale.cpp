#include "measurement/work_scale.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "measurement/statistics.hpp"

namespace starling {
namespace {

/// The normal equations of a least-squares fit of two numbers: sums of squares and products, and the right-hand side.
struct Normal {
  double uu, uv, vv;
  double u, v;
};

struct Pair {
  double first, second;
};

/// The solution with the least error in which neither number is negative.
Pair solved(const Normal& sums) {
  const double determinant = (sums.uu * sums.vv) - (sums.uv * sums.uv);
  const double first = ((sums.u * sums.vv) - (sums.v * sums.uv)) / determinant;
  const double second = ((sums.v * sums.uu) - (sums.u * sums.uv)) / determinant;
  if (first >= 0 && second >= 0) return {first, second};
  return first < 0 ? Pair{0, sums.v / sums.vv} : Pair{sums.u / sums.uu, 0};
}

/// The factor by which a candidate takes longer than `growth`; `alike` adds the weight of calls with factor 1.
double level_of(const WorkSums& calls, const Growth& growth) {
  constexpr double alike = 0.05;
  const double sum = (growth.latency * calls.u) + (growth.rate * calls.v);
  const double squares = (growth.latency * growth.latency * calls.uu) + (2 * growth.latency * growth.rate * calls.uv) +
                         (growth.rate * growth.rate * calls.vv);
  return (sum + alike) / (squares + alike);
}

/// A fit of a candidate's own growth: a factor of the latency, and one of the rate.
struct OwnFit {
  Growth base;
  Normal sums;
};

/// The usual relative error of a time, and the usual difference between the logarithms of both factors.
constexpr double usual_error = 0.08;
constexpr double usual_tilt = 0.8;

/// From the common growth, brought to the level of the candidate's calls, with a penalty on the factors' difference.
/// Of calls with work.
OwnFit fit_of(const WorkSums& calls, const Growth& common) {
  constexpr double penalty = (usual_error * usual_error) / (usual_tilt * usual_tilt);
  /// The least part of a call attributed to latency and to rate, so that a candidate may have some of each.
  constexpr double least_part = 1e-3;
  const double mean = calls.work / calls.calls;
  const double least = least_part * common.at(mean);
  const Growth base{std::max(common.latency, least), std::max(common.rate, least / mean)};
  const double sum = (base.latency * calls.u) + (base.rate * calls.v);
  const double squares = (base.latency * base.latency * calls.uu) + (2 * base.latency * base.rate * calls.uv) +
                         (base.rate * base.rate * calls.vv);
  const double level = sum / squares;
  const double latency = level * base.latency;
  const double rate = level * base.rate;
  return {{latency, rate},
          {(latency * latency * calls.uu) + penalty, (latency * rate * calls.uv) - penalty,
           (rate * rate * calls.vv) + penalty, latency * calls.u, rate * calls.v}};
}

}  // namespace

void WorkSums::add(double work_of_call, double seconds) {
  if (!(seconds > 0)) return;
  constexpr double kept = 1 - (1 / memory);
  const double one = 1 / seconds;
  const double per_second = work_of_call / seconds;
  calls = (kept * calls) + 1;
  work = (kept * work) + work_of_call;
  u = (kept * u) + one;
  v = (kept * v) + per_second;
  uu = (kept * uu) + (one * one);
  uv = (kept * uv) + (one * per_second);
  vv = (kept * vv) + (per_second * per_second);
}

Growth common_growth(std::span<const WorkSums> candidates) {
  constexpr int turns = 4;
  constexpr double stabilised = 1e-9;
  double work = 0;
  double calls = 0;
  std::vector<WorkSums> known;
  for (const WorkSums& one : candidates) {
    if (one.calls == 0) continue;
    known.push_back(one);
    work += one.work;
    calls += one.calls;
  }
  if (!(work > 0)) return {};
  const double unit = work / calls;
  std::vector<double> levels(known.size(), 1);
  Growth growth;
  for (int turn = 0; turn < turns; ++turn) {
    Normal sums{};
    for (std::size_t i = 0; i < known.size(); ++i) {
      const double level = levels[i];
      sums.uu += level * level * known[i].uu;
      sums.uv += level * level * known[i].uv / unit;
      sums.vv += level * level * known[i].vv / (unit * unit);
      sums.u += level * known[i].u;
      sums.v += level * known[i].v / unit;
    }
    // Calls of the same work do not separate latency from rate.
    const double more = stabilised * (sums.uu + sums.vv);
    sums.uu += more;
    sums.vv += more;
    const auto [latency, rate] = solved(sums);
    growth = {latency, rate / unit};
    for (std::size_t i = 0; i < known.size(); ++i) levels[i] = level_of(known[i], growth);
    const double middle = median(levels);
    for (double& level : levels) level /= middle;
  }
  return growth;
}

Growth own_growth(const WorkSums& calls, const Growth& common) {
  if (!(calls.work > 0)) return common;
  const OwnFit fit = fit_of(calls, common);
  const auto [first, second] = solved(fit.sums);
  return {first * fit.base.latency, second * fit.base.rate};
}

/// The variance of the fitted time, less that of a mean of so many calls.
double doubt_of_growth(const WorkSums& calls, const Growth& common, double work) {
  if (!(calls.work > 0)) return 0;
  const OwnFit fit = fit_of(calls, common);
  const double of_latency = fit.base.latency / fit.base.at(work);
  const double of_rate = 1 - of_latency;
  const Normal& sums = fit.sums;
  const double variance =
      ((sums.vv * of_latency * of_latency) - (2 * sums.uv * of_latency * of_rate) + (sums.uu * of_rate * of_rate)) /
      ((sums.uu * sums.vv) - (sums.uv * sums.uv));
  return usual_error * std::sqrt(std::max(0.0, variance - (1 / calls.calls)));
}

void WorkScale::add(std::size_t candidate, double work, double seconds) {
  sums_[candidate].add(work, seconds);
  widen(work);
}

void WorkScale::widen(double work) {
  if (!(work > 0)) return;
  least_ = most_ > 0 ? std::min(least_, work) : work;
  most_ = std::max(most_, work);
}

bool WorkScale::is_far(double work) {
  constexpr double far = 4;
  const bool is_far = work > 0 && most_ > 0 && (work > far * most_ || far * work < least_);
  if (is_far) widen(work);
  return is_far;
}

void WorkScale::fit() {
  common_ = common_growth(sums_);
  for (std::size_t i = 0; i < sums_.size(); ++i) growths_[i] = own_growth(sums_[i], common_);
}

void WorkScale::refer(double work, double calls) {
  if (latest_.calls >= horizon) before_ = std::exchange(latest_, {});
  latest_.work += work;
  latest_.calls += calls;
}

double WorkScale::factor(std::size_t candidate, double work) const {
  const double here = growths_[candidate].at(work);
  const double there = growths_[candidate].at(reference());
  return here > 0 && there > 0 ? there / here : 1;
}

double WorkScale::doubt(std::size_t candidate) const {
  return doubt_of_growth(sums_[candidate], common_, reference());
}

}  // namespace starling
