#include "selection/waiting.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "measurement/statistics.hpp"
#include "selection/strategy.hpp"

namespace starling {
namespace {

/// A candidate's own waiting is expected to be about this share of its fastest rank's time. Where waiting scatters by
/// much more than that, few calls tell nothing of it.
constexpr double usual_own = 0.3;
/// Of one candidate alone, so much of its fastest rank's time counts as its own waiting at most. Were it none, the
/// first trial of another would seem dearer than it is.
constexpr double most_alone = 1;
/// The scatter of waiting, as a share of it, before there are enough calls to tell.
constexpr double first_scatter_of_waiting = 0.3;

}  // namespace

void Waiting::Latest::add(double value) {
  const auto latest = static_cast<float>(std::max(0.0, value));
  if (calls++ == 0) {
    typical = latest;
    return;
  }
  if (!several) several = std::make_unique<Several>(Several{{typical}});
  std::array<float, window>& seconds = several->seconds;
  seconds[(calls - 1) % window] = latest;
  std::vector<double> sorted(seconds.begin(),
                             seconds.begin() + static_cast<std::ptrdiff_t>(std::min<std::size_t>(calls, window)));
  std::sort(sorted.begin(), sorted.end());
  const auto middle = static_cast<float>(median(sorted));
  if (calls <= window)
    typical = middle;
  else if (calls % window == 0)
    typical += (middle - typical) / static_cast<float>(std::min<std::size_t>(calls / window, windows));
  constexpr double of_quartiles = 1.35;  // their distance in a normal distribution, in standard deviations
  const std::size_t quarter = sorted.size() / 4;
  several->scatter = static_cast<float>((sorted[sorted.size() - 1 - quarter] - sorted[quarter]) / of_quartiles);
}

/// The mean of the candidates that ranks wait least with. Of many with a call or two, one waits briefly by chance: so
/// those count that are no longer than the least is at most.
Waiting::Lateness Waiting::least(std::span<const Latest* const> candidates, double scatter) {
  double at_most = std::numeric_limits<double>::infinity();
  for (const Latest* const one : candidates)
    at_most = std::min(at_most, static_cast<double>(one->typical) + (scatter / std::sqrt(one->kept())));
  Lateness result;
  double of_one = 0;  // calls, at most
  for (const Latest* const one : candidates) {
    if (static_cast<double>(one->typical) > at_most) continue;
    result.seconds += static_cast<double>(one->typical) * one->kept();
    result.calls += one->kept();
    of_one = std::max(of_one, one->kept());
  }
  if (result.calls == 0) return result;
  // A candidate's first call also opens connections, and ranks leave it at different times: that ranks wait as long
  // with another candidate is certain only after a few calls of others.
  constexpr double calls_that_count_little = 1;
  const double others = of_one < result.calls ? result.calls - of_one : result.calls;
  result.seconds *= others * others / ((others * others) + calls_that_count_little) / result.calls;
  return result;
}

Waiting::CandidateWaits& Waiting::entry(int candidate) {
  const auto place = static_cast<std::size_t>(candidate);
  if (CandidateWaits* const known = known_.find(place)) return *known;
  CandidateWaits& added = known_.add(place);
  added.candidate = candidate;
  return added;
}

void Waiting::take(std::span<const PlannedCalls> plan, std::span<const AgreedCall> calls) {
  int before = agreement;
  for (const PlannedCalls& step : plan) {
    const std::span<const AgreedCall> measured = calls.first(step.times());
    calls = calls.subspan(measured.size());
    if (std::cmp_less(measured.size(), step.calls)) before = step.candidate;
    add(step.candidate, measured, before);
    before = step.candidate;
  }
  update();
}

void Waiting::take(int candidate, std::span<const AgreedCall> calls) {
  add(candidate, calls, agreement);
  update();
}

/// `before`: whose call was before them, or `agreement`.
void Waiting::add(int candidate, std::span<const AgreedCall> calls, int before) {
  if (!synchronises_) return;
  for (std::size_t i = calls.size(); i > 0; --i) {
    const AgreedCall& call = calls[i - 1];
    if (!(call.slowest < refused_seconds) || call.together) continue;
    CandidateWaits& known = entry(candidate);
    known.fastest.add(call.fastest);
    if (before == candidate) {
      known.in_a_row.add(call.mean - call.fastest);
      known.mean.add(call.mean);
    }
    if (before == agreement) known.from_start.add(((call.mean + call.slowest) / 2) - call.fastest);
    before = candidate;
  }
}

void Waiting::update() {
  std::vector<const Latest*> in_a_row;
  std::vector<const Latest*> from_start;
  for (const CandidateWaits& one : known_) {
    if (one.in_a_row.calls > 0) in_a_row.push_back(&one.in_a_row);
    if (one.from_start.calls > 0) from_start.push_back(&one.from_start);
  }
  const Latest* most = nullptr;
  for (const auto* const all : {&from_start, &in_a_row})
    for (const Latest* const one : *all)
      if (most == nullptr || one->calls > most->calls) most = one;
  if (most == nullptr) return;
  constexpr std::size_t enough = 4;
  scatter_ = most->calls < enough ? first_scatter_of_waiting * static_cast<double>(most->typical)
                                  : static_cast<double>(most->scatter());
  // Some candidates make ranks wait in one call and work longer in the next: the mean is steadier then. Late ranks
  // are in the mean as well.
  for (const CandidateWaits& one : known_)
    if (&one.in_a_row == most && one.mean.calls >= enough)
      scatter_ = std::min<double>(scatter_, static_cast<double>(one.mean.scatter()));
  constexpr std::size_t fewest_candidates = 2;
  from_start_ = from_start.size() < fewest_candidates ? Lateness{} : least(from_start, scatter_);
  if (from_start_.calls > 0) in_a_row.insert(in_a_row.end(), from_start.begin(), from_start.end());
  in_a_row_ = in_a_row.size() < fewest_candidates ? Lateness{} : least(in_a_row, scatter_);
}

/// Seconds that ranks wait with a candidate because of it. The less is known of it, the closer to none.
double Waiting::own(int candidate) const {
  const CandidateWaits* const one = find(candidate);
  if (one == nullptr) return 0;
  const bool in_a_row = one->in_a_row.calls > 0;
  const Latest& waiting = in_a_row ? one->in_a_row : one->from_start;
  const Lateness& late = in_a_row ? in_a_row_ : from_start_;
  if (waiting.calls == 0) return 0;
  const auto fastest = static_cast<double>(one->fastest.typical);
  const double expected = usual_own * fastest;
  const double longer = late.calls > 0 ? static_cast<double>(waiting.typical) - late.seconds
                                       : std::min(static_cast<double>(waiting.typical), most_alone * fastest);
  const double variance = scatter_ * scatter_ * ((1 / waiting.kept()) + (late.calls > 0 ? 1 / late.calls : 0));
  const double known = expected * expected / ((expected * expected) + variance);
  return known * std::max(longer - (std::sqrt(variance) / 2), 0.0);
}

double Waiting::correction(int candidate) {
  CandidateWaits* const known = known_.find(static_cast<std::size_t>(candidate));
  if (known == nullptr) return 1;
  CandidateWaits& one = *known;
  const double now = own(candidate);
  const auto fastest = static_cast<double>(one.fastest.typical);
  const double factor = (fastest + now) / std::max(fastest + static_cast<double>(one.applied), 1e-12);
  one.applied = static_cast<float>(now);
  return fastest > 0 ? factor : 1;
}

Waiting::operator bool() const {
  constexpr double much = 0.5;
  return std::any_of(known_.begin(), known_.end(), [&](const CandidateWaits& one) {
    return in_a_row_.seconds > much * (static_cast<double>(one.fastest.typical) + own(one.candidate));
  });
}

double Waiting::ratio(int candidate) const {
  const CandidateWaits* const one = find(candidate);
  if (one == nullptr || !(one->fastest.typical > 0)) return 1;
  const Latest& waiting = one->in_a_row.calls > 0 ? one->in_a_row : one->from_start;
  return 1 + static_cast<double>(waiting.typical / one->fastest.typical);
}

}  // namespace starling
