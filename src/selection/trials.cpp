#include "selection/trials.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "selection/noise.hpp"

namespace starling {
namespace {

/// How many calls the scatter counts for that is taken before any tells, and the least that calls can tell.
constexpr double weight_of_first = 2;
constexpr double least_scatter = 0.005;
/// A candidate with fewer calls does not tell how times scatter.
constexpr std::size_t fewest_for_scatter = 3;
/// Clearly slower: by more than so many standard deviations of the difference, and by this share at least.
constexpr double clear = 2.5;
/// So many are enough after more than one call: if that was wrong, it may still be better than the best, and gets more.
constexpr double probable = 2;
constexpr double least_difference = 0.02;
/// A candidate may be better by that much where this is less improbable than so many standard deviations: 2 %. There
/// may be several such candidates, so the improbable must be rarer than wrong choices may be.
constexpr double improbable = 2;

}  // namespace

Trials::Trials(const Brief& brief)
    : candidates_(static_cast<int>(brief.candidates.size())),
      rule_{brief.settings.outlier_factor, brief.settings.outlier_fraction},
      calls_each_(std::max(1, brief.settings.iterations)),
      gives_up_(brief.settings.give_up),
      waiting_(brief.synchronises) {
  if (brief.varying_work) scale_ = std::make_unique<WorkScale>(brief.candidates.size());
  for (std::size_t i = 0; i < brief.candidates.size(); ++i) {
    const Candidate& candidate = brief.candidates[i];
    if (!candidate.eligible()) continue;
    One& one = all_.add(i);
    one.eligible = true;
    if (!candidate.earlier || !(candidate.earlier->seconds > 0)) continue;
    one.time = static_cast<float>(candidate.earlier->seconds);
    one.set_calls(static_cast<std::size_t>(std::max<std::int64_t>(0, candidate.earlier->samples)));
  }
}

std::size_t Trials::first_of(const One& candidate) const {
  std::size_t first = 0;
  for (const One& one : all_) {
    if (&one == &candidate) break;
    first += one.own_calls();
  }
  return first;
}

/// Adds calls behind those that a candidate has, without room for more: there is one such list in each context.
void Trials::keep(One& candidate, std::span<const AgreedCall> calls) {
  const auto end = static_cast<std::ptrdiff_t>(first_of(candidate) + candidate.own_calls());
  calls_.reserve(calls_.size() + calls.size());
  auto to = calls_.insert(calls_.begin() + end, calls.size(), {});
  for (const AgreedCall& call : calls)
    *to++ = {ShortTime(call.slowest), ShortTime(call.together ? call.slowest : call.fastest)};
  if (scale_) {
    works_.reserve(works_.size() + calls.size());
    auto work = works_.insert(works_.begin() + end, calls.size(), 0);
    for (const AgreedCall& call : calls) *work++ = static_cast<float>(call.work);
  }
  candidate.set_calls(candidate.own_calls() + calls.size());
  candidate.own = true;
}

/// Forgets the first calls of a candidate.
void Trials::drop(One& candidate, std::size_t calls) {
  const auto first = static_cast<std::ptrdiff_t>(first_of(candidate));
  const auto end = first + static_cast<std::ptrdiff_t>(calls);
  calls_.erase(calls_.begin() + first, calls_.begin() + end);
  if (scale_) works_.erase(works_.begin() + first, works_.begin() + end);
  candidate.set_calls(candidate.own_calls() - calls);
}

void Trials::add(int candidate, std::span<const AgreedCall> calls) {
  One* const found = find(candidate);
  if (found == nullptr || !found->eligible) return;
  One& one = *found;
  one.put_off = false;
  double work = 0;
  for (const AgreedCall& call : calls) {
    if (!(call.slowest < refused_seconds)) one.eligible = false;
    if (scale_) scale_->add(static_cast<std::size_t>(candidate), call.work, std::max(call.slowest, shortest));
    work += call.work;
  }
  if (!one.eligible) {
    drop(one, one.own_calls());
    one = {};
  } else {
    keep(one, calls);
    waiting_.take(candidate, calls);
  }
  if (scale_) {
    scale_->fit();
    scale_->refer(work, static_cast<double>(calls.size()));
  }
  update();
}

void Trials::forget_first(int candidate) {
  drop(*find(candidate), 1);
  update();
}

void Trials::forget(int candidate) {
  One& one = *find(candidate);
  const bool eligible = one.eligible;
  drop(one, one.own_calls());
  one = {};
  one.eligible = eligible;
}

void Trials::forget() {
  for (int i = 0; i < candidates(); ++i)
    if (find(i) != nullptr) forget(i);
  // Not clear, which keeps the memory.
  calls_ = std::vector<Kept>();
  works_ = std::vector<float>();
  waiting_.forget();
  if (scale_) scale_->forget_range();
  update();
}

double Trials::seconds(int candidate, const AgreedCall& call) const {
  const double factor = scale_ ? scale_->factor(static_cast<std::size_t>(candidate), call.work) : 1;
  return factor * std::max(waiting_.seconds(candidate, call), shortest);
}

std::vector<double> Trials::own_times(int candidate) const {
  const One& one = at(candidate);
  std::vector<double> times(one.own_calls());
  const std::size_t first = times.empty() ? 0 : first_of(one);
  for (std::size_t i = 0; i < times.size(); ++i) {
    const Kept& call = calls_[first + i];
    times[i] = seconds(candidate, {.slowest = call.slowest.seconds(),
                                   .fastest = call.fastest.seconds(),
                                   .mean = 0,
                                   .work = scale_ ? static_cast<double>(works_[first + i]) : 0});
  }
  return times;
}

double Trials::location(std::span<const double> times) const {
  if (times.size() == 2 && gives_up_) return std::min(times[0], times[1]);
  return std::ssize(times) < calls_each_ ? median(times) : filtered_mean(times, rule_);
}

double Trials::time_of(int candidate, std::span<const AgreedCall> calls) const {
  std::vector<double> times;
  for (const AgreedCall& call : calls) times.push_back(seconds(candidate, call));
  return location(times);
}

bool Trials::are_far(std::span<const AgreedCall> calls) {
  double work = 0;
  for (const AgreedCall& call : calls) work += call.work / static_cast<double>(calls.size());
  return scale_ && scale_->is_far(work);
}

/// Brings times and scatter up to date: a call may change what is known of all, by its work or by how ranks wait.
void Trials::update() {
  double squares = weight_of_first * first_scatter * first_scatter;
  double weight = weight_of_first;
  for (int i = 0; i < candidates(); ++i) {
    if (!is_own(i)) continue;
    One& one = *find(i);
    const std::vector<double> times = own_times(i);
    one.time = static_cast<float>(location(times));
    if (times.size() < fewest_for_scatter) continue;
    const double bound = rule_.factor * *std::min_element(times.begin(), times.end());
    double sum = 0;
    double of_squares = 0;
    double count = 0;
    for (const double time : times) {
      if (time >= bound) continue;
      sum += time;
      of_squares += time * time;
      ++count;
    }
    const double mean = sum / count;
    squares += std::max(0.0, (of_squares / (mean * mean)) - count);
    weight += count - 1;
  }
  scatter_ = std::clamp(std::sqrt(squares / weight), least_scatter, most_scatter);
}

int Trials::best() const {
  int best = -1;
  for (int i = 0; i < candidates(); ++i)
    if (tried(i) && (best < 0 || time(i) < time(best))) best = i;
  return best;
}

bool Trials::clearly_slower(int candidate, int than) const {
  return is_slower(candidate, than, clear);
}

bool Trials::is_slower(int candidate, int than, double deviations) const {
  return time(candidate) > time(than) * (1 + std::max(least_difference, deviations * spread_between(candidate, than)));
}

double Trials::spread_between(int one, int other) const {
  return scatter_ * std::sqrt((1 / static_cast<double>(calls(one))) + (1 / static_cast<double>(calls(other))));
}

bool Trials::may_be_better(int candidate) const {
  const int fastest = best();
  if (candidate == fastest || !eligible(candidate) || !is_own(candidate)) return false;
  if (!has_room(candidate)) return false;
  const double behind = std::log(time(candidate) / time(fastest)) + least_difference;
  return behind < improbable * spread_between(candidate, fastest);
}

bool Trials::known(int candidate) const {
  if (!eligible(candidate) || calls(candidate) >= calls_each_) return true;
  if (!gives_up_ || !tried(candidate)) return false;
  const int fastest = best();
  return candidate != fastest && fastest >= 0 &&
         is_slower(candidate, fastest, calls(candidate) == 1 ? clear : probable);
}

std::optional<double> Trials::deviation(int candidate) const {
  const std::vector<double> times = own_times(candidate);
  if (times.size() < 2) return std::nullopt;
  const auto count = static_cast<double>(times.size());
  double mean = 0;
  for (const double one : times) mean += one / count;
  double squares = 0;
  for (const double one : times) squares += (one - mean) * (one - mean);
  return std::sqrt(squares / (count - 1));
}

}  // namespace starling
