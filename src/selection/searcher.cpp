#include "selection/searcher.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "messages/shared.hpp"
#include "selection/figures.hpp"
#include "selection/noise.hpp"
#include "selection/outlook.hpp"

namespace starling {
namespace {

/// Calls after which a candidate that is still no worse than the best gets all.
constexpr std::int64_t second_look = 3;
/// What an agreement of the ranks takes, in calls of the fastest.
constexpr double calls_of_agreement = 0.2;
/// The first period, in units of calls_each_.
constexpr std::int64_t first_delta = 4;
constexpr int drifts_to_search_again = 2;
/// What calls of candidates that were given up may cost, in calls of the chosen one for each call since it was chosen.
constexpr double share_of_looks = 0.001;
/// So often in a row a guarded search waits before it ends, each time for as many calls as there were at most.
constexpr int most_waits = 3;

}  // namespace

Searcher::Searcher(const Brief& brief, MakeSearchPlan make)
    : trials_(brief),
      plan_(make(brief)),
      calls_each_(std::max(1, brief.settings.iterations)),
      delta_limit_(std::max(first_delta, brief.settings.delta_limit)),
      drift_(brief.settings.drift) {
  std::vector<Interned> names;
  for (const Candidate& one : brief.candidates) names.push_back(one.name);
  names_ = shared(std::move(names));
  if (brief.guarded) ledger_ = std::make_unique<Ledger>(brief.settings.budget / usual_budget, brief.candidates.size());
}

std::vector<PlannedCalls> Searcher::next() {
  if (!monitors_) {
    if (auto steps = trials(); !steps.empty()) {
      if (!ledger_) return steps;
      if (auto few = allowed(steps); !few.empty()) {
        waits_ = 0;
        return few;
      }
      if (waits_++ < most_waits) return {{best(), calls_to_wait(steps), true}};
    }
    choose();
  }
  if (std::exchange(looks_, false))
    if (auto steps = looks(); !steps.empty()) return steps;
  return {{chosen_, std::max<std::int64_t>(1, delta_) * calls_each_, false}};
}

/// What is to be measured next; nothing where the fastest can be chosen.
std::vector<PlannedCalls> Searcher::trials() const {
  if (auto steps = steps_for(plan_->wanted(trials_)); !steps.empty()) return steps;
  if (auto steps = steps_for(contenders()); !steps.empty()) return steps;
  return run_off();
}

/// What a step of a guarded search is expected to lose against candidate 0, in seconds.
std::vector<double> Searcher::losses(std::span<const PlannedCalls> steps) const {
  const double native = trials_.time(0);
  std::optional<Outlook> outlook;
  std::vector<double> losses;
  for (const PlannedCalls& step : steps) {
    const bool was_tried = trials_.tried(step.candidate);
    if (!was_tried && !outlook) outlook.emplace(plan_->outlook(trials_));
    const double seconds = was_tried ? trials_.time(step.candidate) : outlook->expected(step.candidate);
    losses.push_back(std::max(0.0, static_cast<double>(step.calls) * (seconds - native)));
  }
  return losses;
}

/// What a guarded search has lost against candidate 0 so far, in seconds.
double Searcher::lost() const {
  const double native = trials_.time(0);
  return ledger_->lost(native, [&](int one) { return trials_.tried(one) ? trials_.time(one) : native; });
}

/// Those steps of a guarded search that may be made now.
std::vector<PlannedCalls> Searcher::allowed(const std::vector<PlannedCalls>& steps) const {
  if (!trials_.tried(0)) return steps;
  double lost = this->lost();
  const double most = ledger_->allowed(static_cast<double>(ledger_->calls()), trials_.time(0));
  const std::vector<double> losses = this->losses(steps);
  std::vector<PlannedCalls> few;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    if (losses[i] > 0 && lost + losses[i] > most) continue;
    lost += losses[i];
    few.push_back(steps[i]);
  }
  return few;
}

/// After how many calls of the fastest a guarded search may make the cheapest of these steps.
std::int64_t Searcher::calls_to_wait(std::span<const PlannedCalls> steps) const {
  const double native = trials_.time(0);
  const std::vector<double> losses = this->losses(steps);
  const double then_lost = lost() + *std::min_element(losses.begin(), losses.end());
  const double gain = native - trials_.time(best());
  std::int64_t calls = calls_each_;
  const auto suffice = [&] {
    const auto more = static_cast<double>(calls);
    return then_lost - (more * gain) <= ledger_->allowed(static_cast<double>(ledger_->calls()) + more, native);
  };
  while (calls < ledger_->calls() && !suffice()) calls += std::max(calls_each_, calls / 4);
  return calls;
}

/// Calls of the wanted candidates that are not known yet, and those that the fastest lacks: they cost nothing, so the
/// ranks need not agree on them alone.
std::vector<PlannedCalls> Searcher::steps_for(std::span<const int> wanted) const {
  std::vector<PlannedCalls> steps;
  const int fastest = trials_.best();
  const auto made = [&](int one) { return trials_.is_own(one) ? trials_.calls(one) : 0; };
  const std::size_t with_fastest = fastest >= 0 && !trials_.known(fastest) ? 1 : 0;
  for (const int one : wanted) {
    if (trials_.known(one)) continue;
    if (!trials_.gives_up()) return {{one, calls_each_, true}};
    if (one != fastest && steps.size() + with_fastest < most_steps)
      steps.push_back({one, calls_for_next_look(one), true});
  }
  const bool is_wanted = std::find(wanted.begin(), wanted.end(), fastest) != wanted.end();
  if (with_fastest > 0 && (is_wanted || !steps.empty())) steps.push_back({fastest, calls_each_ - made(fastest), true});
  return steps;
}

/// One call, then few, then all; all at once where they cost less than the agreement after few.
std::int64_t Searcher::calls_for_next_look(int candidate) const {
  const std::int64_t made = trials_.is_own(candidate) ? trials_.calls(candidate) : 0;
  if (made == 0) return 1;
  const std::int64_t rest = calls_each_ - made;
  const double behind = (trials_.time(candidate) / trials_.time(trials_.best())) - 1;
  if (made >= second_look || static_cast<double>(rest) * behind < calls_of_agreement) return rest;
  return std::min(second_look, calls_each_) - made;
}

/// More calls of those that may yet be better than the best, and of it.
std::vector<PlannedCalls> Searcher::run_off() const {
  if (!trials_.gives_up()) return {};
  std::vector<PlannedCalls> steps;
  for (int i = 0; i < trials_.candidates() && steps.size() + 1 < most_steps; ++i)
    if (trials_.tried(i) && trials_.may_be_better(i)) steps.push_back({i, calls_each_, true});
  if (!steps.empty() && trials_.is_own(trials_.best()) && trials_.has_room(trials_.best()))
    steps.push_back({trials_.best(), calls_each_, true});
  // Few of them get twice as many, for an agreement takes time as well.
  if (const std::vector<PlannedCalls> once = steps; 2 * once.size() <= most_steps)
    steps.insert(steps.end(), once.begin(), once.end());
  return steps;
}

/// Those that were tried and may be as fast as the best.
std::vector<int> Searcher::contenders() const {
  std::vector<int> found;
  for (int i = 0; i < trials_.candidates(); ++i)
    if (trials_.begun(i)) found.push_back(i);
  return found;
}

/// One call of each candidate that was given up after one call, the cheapest first, as long as the cost is allowed.
std::vector<PlannedCalls> Searcher::looks() const {
  std::vector<int> few;
  for (int i = 0; i < trials_.candidates(); ++i)
    if (trials_.eligible(i) && trials_.is_own(i) && trials_.given_up(i) && trials_.calls(i) == 1) few.push_back(i);
  std::stable_sort(few.begin(), few.end(), [&](int one, int other) { return trials_.time(one) < trials_.time(other); });
  const double allowed = share_of_looks * static_cast<double>(calls_ - chosen_at_);
  double cost = looked_;
  std::vector<PlannedCalls> steps;
  for (const int one : few) {
    cost += (trials_.time(one) / learnt_) - 1;
    if (cost > allowed || steps.size() == most_steps) break;
    steps.push_back({one, 1, true});
  }
  return steps;
}

/// Takes the times of calls by candidates that were given up. One that is no longer clearly slower gets more calls.
void Searcher::look(std::span<const PlannedCalls> made, std::span<const AgreedCall> calls) {
  for (const PlannedCalls& step : made) {
    looked_ += std::max(0.0, (trials_.time_of(step.candidate, calls.first(1)) / learnt_) - 1);
    trials_.add(step.candidate, calls.first(1));
    calls = calls.subspan(1);
    calls_ += step.calls;
  }
  for (const PlannedCalls& step : made) {
    if (trials_.known(step.candidate)) continue;
    trials_.forget_first(step.candidate);
    again_ = (*names_)[static_cast<std::size_t>(step.candidate)] + " was disturbed when it was given up";
    monitors_ = false;
  }
}

void Searcher::take(std::span<const PlannedCalls> made, std::span<const AgreedCall> calls) {
  const bool is_first_look = !trials_.tried(0);
  if (ledger_)
    for (const PlannedCalls& step : made) ledger_->count(is_first_look ? 0 : step.candidate, step.calls);
  if (monitors_ && made.front().is_trial) return look(made, calls);
  for (const PlannedCalls& step : made) {
    const auto times = static_cast<std::size_t>(std::min(step.calls, calls_each_));
    calls_ += step.calls;
    if (monitors_) {
      watch(calls.first(times));
    } else if (waits_ == 0 || trials_.has_room(step.candidate)) {
      trials_.add(step.candidate, calls.first(times));
    }
    calls = calls.subspan(times);
  }
}

void Searcher::choose() {
  monitors_ = true;
  waits_ = 0;
  // Another look at some candidates may change nothing.
  if (best() == chosen_ && !searches_again_) {
    again_ = std::string();
    plan_->end();
    return;
  }
  const int before = std::exchange(chosen_, best());
  learnt_ = trials_.time(chosen_);
  learnt_from_ = std::max<std::int64_t>(1, trials_.calls(chosen_));
  latest_ = 0;
  delta_ = first_delta;
  drifts_ = 0;
  chosen_at_ = calls_;
  const std::int64_t searched = calls_ - searched_at_;
  if (std::exchange(searches_again_, false))
    calls_in_peace_ = before == chosen_ ? std::max(2 * calls_in_peace_, searched) : 0;
  looked_ = 0;

  int tried = 0;
  int given_up = 0;
  int second = -1;
  for (int i = 0; i < trials_.candidates(); ++i) {
    if (!trials_.tried(i)) continue;
    ++tried;
    if (trials_.given_up(i)) ++given_up;
    if (i != chosen_ && (second < 0 || trials_.time(i) < trials_.time(second))) second = i;
  }
  const auto at = [&](int one) {
    return (*names_)[static_cast<std::size_t>(one)] + " at " + time_in_words(trials_.time(one));
  };
  std::string why = std::exchange(again_, {});
  why += (why.empty() ? "" : "; ") + std::string("fastest of ") + std::to_string(tried) +
         " candidates: " + at(chosen_) + (trials_.is_own(chosen_) ? "" : " in earlier runs");
  if (second >= 0) why += ", then " + at(second);
  if (given_up > 0) why += "; " + std::to_string(given_up) + " clearly slower after a few calls";
  if (!plan_->why().empty()) why += "; " + plan_->why();
  plan_->end();
  decision_ = Decision{calls_, before, chosen_, std::move(why)};
}

/// The end of a period. A change that comes in the middle of a long one shows in its last calls.
void Searcher::watch(std::span<const AgreedCall> calls) {
  if (std::any_of(calls.begin(), calls.end(), [](const AgreedCall& one) { return one.slowest >= refused_seconds; })) {
    again_ = (*names_)[static_cast<std::size_t>(chosen_)] + " cannot serve here";
    trials_.add(chosen_, calls);
    search();
    return;
  }
  const double now = trials_.time_of(chosen_, calls);
  latest_ = now;
  const double chance = chance_deviations * trials_.scatter() *
                        std::sqrt((1 / static_cast<double>(learnt_from_)) + (1 / static_cast<double>(calls.size())));
  const double change = std::log(now / learnt_);
  if (!(drift_ > 0) || std::abs(change) <= std::max(std::log1p(drift_), chance)) {
    // The fastest of many was lucky: its first quiet period makes the time exact.
    if (chosen_at_ + (first_delta * calls_each_) >= calls_) {
      const auto times = static_cast<double>(calls.size());
      const auto from = static_cast<double>(learnt_from_);
      learnt_ = ((from * learnt_) + (times * now)) / (from + times);
      learnt_from_ += std::ssize(calls);
    }
    drifts_ = 0;
    looks_ = trials_.gives_up() && drift_ > 0;
    delta_ = delta_ == 0 ? first_delta : std::min(2 * delta_, delta_limit_);
    return;
  }
  drifts_ = change > 0 ? std::max(0, drifts_) + 1 : std::min(0, drifts_) - 1;
  delta_ = 0;
  if (std::abs(drifts_) < drifts_to_search_again || calls_ - chosen_at_ < calls_in_peace_) return;
  again_ = (*names_)[static_cast<std::size_t>(chosen_)] + " took " + time_in_words(now) + ", not " +
           time_in_words(learnt_) + ": searched again";
  trials_.forget();
  search();
}

void Searcher::search() {
  searches_again_ = true;
  monitors_ = false;
  waits_ = 0;
  if (ledger_) ledger_->start_anew();
  searched_at_ = calls_;
}

std::optional<Found> Searcher::found(int candidate) const {
  if (candidate == chosen_ && monitors_ && latest_ > 0) return Found{latest_, trials_.deviation(candidate)};
  if (!trials_.is_own(candidate)) return std::nullopt;
  return Found{trials_.time(candidate), trials_.deviation(candidate)};
}

std::optional<Decision> Searcher::take_decision() {
  return std::exchange(decision_, std::nullopt);
}

}  // namespace starling
