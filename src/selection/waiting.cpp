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

/// Makes more room for the seconds of a part.
void Waiting::CandidateWaits::make_room(Part part, std::size_t room) {
  const std::size_t before = room_before(part);
  const std::size_t less = room_for(calls[part]);
  const std::size_t all = room_before(parts);
  auto more = std::make_unique<float[]>(all - less + room);
  if (seconds) {
    std::copy_n(seconds.get(), before + less, more.get());
    std::copy(&seconds[before + less], &seconds[all], &more[before + room]);
  }
  if (less == 0) more[before] = typical[part];
  seconds = std::move(more);
}

/// In any order where it is full.
void Waiting::CandidateWaits::add(Part part, double value) {
  if (!seconds)
    for (std::uint8_t& one : calls) one = std::min<std::uint8_t>(one, 1);
  std::uint8_t& count = calls[part];
  // From so many on only their place in a window counts.
  constexpr auto most = static_cast<std::uint8_t>(std::numeric_limits<std::uint8_t>::max() / window * window);
  static_assert(most >= window * windows);
  if (count == most) count = most - window;
  const std::size_t room = room_for(count + std::size_t{1});
  if (room > room_for(count)) make_room(part, room);
  const auto added = static_cast<float>(std::max(0.0, value));
  if (room > 0) seconds[room_before(part) + (count % window)] = added;
  float& usual = typical[part];
  if (count++ == 0) {
    usual = added;
    return;
  }
  const auto middle = static_cast<float>(median(sorted(part)));
  if (count <= window)
    usual = middle;
  else if (count % window == 0)
    usual += (middle - usual) / static_cast<float>(std::min<std::size_t>(count / window, windows));
}

std::vector<double> Waiting::CandidateWaits::sorted(Part part) const {
  const float* const first = &seconds[room_before(part)];
  std::vector<double> sorted(first, first + std::min<std::size_t>(calls[part], window));
  std::sort(sorted.begin(), sorted.end());
  return sorted;
}

std::optional<double> Waiting::CandidateWaits::scatter(Part part) const {
  if (calls[part] < 2) return 0;
  if (!seconds) return std::nullopt;
  constexpr double of_quartiles = 1.35;  // their distance in a normal distribution, in standard deviations
  const std::vector<double> in_order = sorted(part);
  const std::size_t quarter = in_order.size() / 4;
  return (in_order[in_order.size() - 1 - quarter] - in_order[quarter]) / of_quartiles;
}

/// The mean of the candidates that ranks wait least with. Of many with a call or two, one waits briefly by chance: so
/// those count that are no longer than the least is at most.
Waiting::Lateness Waiting::least(std::span<const Latest> candidates, double scatter) {
  double at_most = std::numeric_limits<double>::infinity();
  for (const Latest& one : candidates)
    at_most = std::min(at_most, static_cast<double>(one.typical) + (scatter / std::sqrt(one.kept())));
  Lateness result;
  double of_one = 0;  // calls, at most
  for (const Latest& one : candidates) {
    if (static_cast<double>(one.typical) > at_most) continue;
    result.seconds += static_cast<double>(one.typical) * one.kept();
    result.calls += one.kept();
    of_one = std::max(of_one, one.kept());
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
  return known_.add(place);
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
    known.add(fastest, call.fastest);
    if (before == candidate) {
      known.add(in_a_row, call.mean - call.fastest);
      known.add(mean, call.mean);
    }
    if (before == agreement) known.add(from_start, ((call.mean + call.slowest) / 2) - call.fastest);
    before = candidate;
  }
}

void Waiting::update() {
  std::vector<Latest> row;
  std::vector<Latest> start;
  const CandidateWaits* most = nullptr;
  Part part = from_start;
  for (auto [of_part, all] : {std::pair(from_start, &start), std::pair(in_a_row, &row)}) {
    for (const CandidateWaits& one : known_) {
      if (one[of_part].calls == 0) continue;
      all->push_back(one[of_part]);
      if (most != nullptr && one[of_part].calls <= (*most)[part].calls) continue;
      most = &one;
      part = of_part;
    }
  }
  if (most == nullptr) return;
  constexpr std::size_t enough = 4;
  scatter_ = (*most)[part].calls < enough ? first_scatter_of_waiting * static_cast<double>((*most)[part].typical)
                                          : most->scatter(part).value_or(scatter_);
  // Some candidates make ranks wait in one call and work longer in the next: the mean is steadier then. Late ranks
  // are in the mean as well.
  if (part == in_a_row && (*most)[mean].calls >= enough)
    scatter_ = std::min(scatter_, most->scatter(mean).value_or(scatter_));
  constexpr std::size_t fewest_candidates = 2;
  from_start_ = start.size() < fewest_candidates ? Lateness{} : least(start, scatter_);
  if (from_start_.calls > 0) row.insert(row.end(), start.begin(), start.end());
  in_a_row_ = row.size() < fewest_candidates ? Lateness{} : least(row, scatter_);
}

/// Seconds that ranks wait with a candidate because of it. The less is known of it, the closer to none.
double Waiting::own(const CandidateWaits& one) const {
  const bool has_row = one[in_a_row].calls > 0;
  const Latest waiting = one[has_row ? in_a_row : from_start];
  const Lateness& late = has_row ? in_a_row_ : from_start_;
  if (waiting.calls == 0) return 0;
  const auto works = static_cast<double>(one[fastest].typical);
  const double expected = usual_own * works;
  const double longer = late.calls > 0 ? static_cast<double>(waiting.typical) - late.seconds
                                       : std::min(static_cast<double>(waiting.typical), most_alone * works);
  const double variance = scatter_ * scatter_ * ((1 / waiting.kept()) + (late.calls > 0 ? 1 / late.calls : 0));
  const double known = expected * expected / ((expected * expected) + variance);
  return known * std::max(longer - (std::sqrt(variance) / 2), 0.0);
}

double Waiting::correction(int candidate) {
  CandidateWaits* const known = known_.find(static_cast<std::size_t>(candidate));
  if (known == nullptr) return 1;
  CandidateWaits& one = *known;
  const double now = own(one);
  const auto works = static_cast<double>(one[fastest].typical);
  const double factor = (works + now) / std::max(works + static_cast<double>(one.applied), 1e-12);
  one.applied = static_cast<float>(now);
  return works > 0 ? factor : 1;
}

Waiting::operator bool() const {
  constexpr double much = 0.5;
  return std::any_of(known_.begin(), known_.end(), [&](const CandidateWaits& one) {
    return in_a_row_.seconds > much * (static_cast<double>(one[fastest].typical) + own(one));
  });
}

double Waiting::ratio(int candidate) const {
  const CandidateWaits* const one = find(candidate);
  if (one == nullptr || !((*one)[fastest].typical > 0)) return 1;
  const Latest waiting = (*one)[(*one)[in_a_row].calls > 0 ? in_a_row : from_start];
  return 1 + static_cast<double>(waiting.typical / (*one)[fastest].typical);
}

}  // namespace starling
