#include "selection/searcher.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "selection/figures.hpp"
#include "selection/noise.hpp"
#include "selection/outlook.hpp"

namespace starling {
namespace {

/// So few candidates may all be slow.
constexpr int enough_to_compare = 4;
/// The first period, in units of calls_each_.
constexpr std::int64_t first_delta = 4;
constexpr int drifts_to_search_again = 2;
/// What calls of candidates that were given up may cost, in calls of the chosen one for each call since it was chosen.
constexpr double share_of_looks = 1 / calls_to_pay;
/// Beginning with a kind of candidates, once, may cost a guarded search so much of candidate 0's time of all calls,
/// whatever its ledger allows.
constexpr double share_of_beginning = 0.002;
/// So often in a row a guarded search waits before it ends, each time for as many calls as there were at most.
constexpr int most_waits = 3;

}  // namespace

Searcher::Searcher(const Brief& brief, MakeSearchPlan make)
    : trials_(brief),
      names_(brief.candidates.summary().names),
      plan_(make(brief)),
      calls_each_(std::max(1, brief.settings.iterations)),
      delta_limit_(std::max(first_delta, brief.settings.delta_limit)),
      drift_(brief.settings.drift),
      may_warm_up_(trials_.gives_up() && !brief.are_runs) {
  if (brief.guarded) ledger_ = std::make_unique<Ledger>(brief.settings.budget / usual_budget, brief.candidates.size());
}

std::vector<PlannedCalls> Searcher::next() {
  std::vector<PlannedCalls> steps = following();
  if (!warms_up()) return steps;
  steps.insert(steps.begin(), {steps.front().candidate, 1, true});
  if (steps.size() > most_steps) steps.pop_back();
  return steps;
}

std::vector<PlannedCalls> Searcher::following() {
  if (!monitors_) {
    if (auto steps = trials(); !steps.empty()) {
      if (!ledger_) return steps;
      if (auto few = allowed(steps); !few.empty()) {
        waits_ = 0;
        return few;
      }
      if (waits_++ < most_waits) return {{best(), std::max(calls_each_, ledger_->calls()), true}};
    }
    choose();
  }
  const std::int64_t period = std::max<std::int64_t>(1, delta_) * calls_each_;
  std::vector<PlannedCalls> steps{{chosen_, period, false}};
  // At its end, so that the ranks need not agree on them alone.
  if (delta_ > 0)
    for (const PlannedCalls& one : looks(calls_ + period)) steps.push_back(one);
  return steps;
}

/// What is to be measured next; nothing where the fastest can be chosen.
std::vector<PlannedCalls> Searcher::trials() {
  const bool has_contenders = !contenders().empty();
  if (auto steps = steps_for(plan_->wanted(trials_, calls_)); !steps.empty()) {
    // What would follow comes along, for an agreement takes time as well.
    if (plan_->may_stop() && !has_contenders)
      for (const PlannedCalls& one : run_off())
        if (steps.size() < most_steps) steps.push_back(one);
    return steps;
  }
  if (auto steps = steps_for(contenders()); !steps.empty()) return steps;
  return run_off();
}

/// What a step of a guarded search is expected to lose against candidate 0, in seconds.
std::vector<double> Searcher::losses(std::span<const PlannedCalls> steps) {
  const double native = trials_.time(0);
  std::vector<double> losses;
  for (const PlannedCalls& step : steps) {
    const bool was_tried = trials_.tried(step.candidate);
    const double seconds = was_tried ? trials_.time(step.candidate) : plan_->outlook(trials_).expected(step.candidate);
    losses.push_back(std::max(0.0, static_cast<double>(step.calls) * (seconds - native)));
  }
  return losses;
}

/// What a guarded search has lost against candidate 0 so far, in seconds.
double Searcher::lost() const {
  const double native = trials_.time(0);
  return ledger_->lost(native, [&](int one) { return trials_.tried(one) ? trials_.time(one) : native; });
}

/// Those steps of a guarded search that may be made now. Others may follow after some calls of the fastest, so that the
/// ranks need not agree on these alone: after few, or, where nothing may be made now, after as many as there were.
std::vector<PlannedCalls> Searcher::allowed(const std::vector<PlannedCalls>& steps) {
  if (!trials_.tried(0)) return steps;
  const double native = trials_.time(0);
  const double gain = native - trials_.time(best());
  const std::vector<double> losses = this->losses(steps);
  double lost = this->lost();
  std::int64_t calls = ledger_->calls();
  std::vector<PlannedCalls> few;
  const auto fits = [&](double loss, std::int64_t more) {
    const auto waiting = static_cast<double>(more);
    return !(loss > 0) ||
           lost + loss - (waiting * gain) <= ledger_->allowed(static_cast<double>(calls) + waiting, native);
  };
  std::vector<std::size_t> later;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    if (!fits(losses[i], 0)) {
      later.push_back(i);
      continue;
    }
    lost += losses[i];
    few.push_back(steps[i]);
  }
  std::stable_sort(later.begin(), later.end(), [&](auto one, auto other) { return losses[one] < losses[other]; });
  for (const std::size_t i : later) {
    const std::int64_t most = few.empty() ? ledger_->calls() : calls_each_;
    std::int64_t waiting = calls_each_;
    while (waiting < most && !fits(losses[i], waiting)) waiting += std::max(calls_each_, waiting / 4);
    if (few.size() + 2 > most_steps || !fits(losses[i], waiting)) break;
    few.push_back({best(), waiting, true});
    few.push_back(steps[i]);
    lost += losses[i] - (static_cast<double>(waiting) * gain);
    calls += waiting;
  }
  return few;
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
  if (with_fastest > 0 && !fastest_may_be_slow(steps) && (is_wanted || !steps.empty()))
    steps.push_back({fastest, calls_each_ - made(fastest), true});
  return steps;
}

/// Whether the fastest of few that were tried may be slow, and others come before it gets all calls.
bool Searcher::fastest_may_be_slow(std::span<const PlannedCalls> steps) const {
  int tried = 0;
  for (int i = 0; i < trials_.candidates(); ++i) tried += trials_.tried(i) ? 1 : 0;
  return tried < enough_to_compare && std::any_of(steps.begin(), steps.end(), [&](const PlannedCalls& one) {
           return !trials_.tried(one.candidate);
         });
}

/// One call, then few, then all; all at once where they cost less than the agreement after few.
std::int64_t Searcher::calls_for_next_look(int candidate) const {
  const std::int64_t made = trials_.is_own(candidate) ? trials_.calls(candidate) : 0;
  if (made == 0) return 1;
  const std::int64_t rest = calls_each_ - made;
  const double behind = (trials_.time(candidate) / trials_.time(trials_.best())) - 1;
  if (made >= second_look || static_cast<double>(rest) * behind < plan_->calls_of_agreement(trials_)) return rest;
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

/// One call of each candidate that was given up after one call, the cheapest first, as long as the cost is allowed, and
/// of one whose first call pays by then: what it takes tells of others.
std::vector<PlannedCalls> Searcher::looks(std::int64_t at) const {
  if (!trials_.gives_up() || !(drift_ > 0)) return {};
  std::vector<int> few;
  for (int i = 0; i < trials_.candidates(); ++i)
    if (trials_.eligible(i) && trials_.is_own(i) && trials_.given_up(i) && trials_.calls(i) == 1) few.push_back(i);
  std::stable_sort(few.begin(), few.end(), [&](int one, int other) { return trials_.time(one) < trials_.time(other); });
  const double allowed = share_of_looks * static_cast<double>(at - chosen_at_);
  double cost = looked_;
  std::vector<PlannedCalls> steps;
  for (const int one : few) {
    cost += (trials_.time(one) / learnt_) - 1;
    if (cost > allowed || steps.size() + 1 == most_steps) break;
    steps.push_back({one, 1, true});
  }
  for (const SearchPlan::NotYet& one : plan_->not_yet()) {
    if (one.calls > static_cast<double>(at) || steps.size() + 1 == most_steps) break;
    if (trials_.tried(one.candidate) || !trials_.can_serve(one.candidate)) continue;
    // The ledger is for what happens again and again: of ever more calls it allows an ever smaller share.
    const bool is_little = one.begins <= share_of_beginning * static_cast<double>(at) * trials_.time(0);
    const double seconds = is_little ? one.seconds - one.begins : one.seconds;
    if (!ledger_ || may_lose(std::max(0.0, seconds - trials_.time(0)))) steps.push_back({one.candidate, 1, true});
    break;
  }
  return steps;
}

/// Whether a guarded search may lose so many seconds more against candidate 0.
bool Searcher::may_lose(double seconds) const {
  return lost() + seconds <= ledger_->allowed(static_cast<double>(ledger_->calls()), trials_.time(0));
}

/// Takes the times of calls by candidates that were given up, or not tried. One that is not clearly slower gets more
/// calls. Where the chosen one's time has changed, theirs tell nothing.
void Searcher::look(std::span<const PlannedCalls> made, std::span<const AgreedCall> calls) {
  for (const PlannedCalls& step : made) calls_ += step.calls;
  if (!monitors_ || drifts_ != 0) return;
  bool any_first = false;
  for (const PlannedCalls& step : made) {
    any_first = any_first || !trials_.tried(step.candidate);
    if (trials_.tried(step.candidate))
      looked_ += std::max(0.0, (trials_.time_of(step.candidate, calls.first(1)) / learnt_) - 1);
    trials_.add(step.candidate, calls.first(1));
    calls = calls.subspan(1);
  }
  for (const PlannedCalls& step : made) {
    if (trials_.known(step.candidate)) continue;
    monitors_ = false;
    if (trials_.calls(step.candidate) == 1) continue;
    trials_.forget_first(step.candidate);
    again_ = (*names_)[static_cast<std::size_t>(step.candidate)] + " was disturbed when it was given up";
  }
  if (!any_first || !monitors_) return;
  monitors_ = plan_->wanted(trials_, calls_).empty();
  plan_->end();
}

void Searcher::take(std::span<const PlannedCalls> made, std::span<const AgreedCall> calls) {
  const bool is_first_look = !trials_.tried(0);
  if (ledger_)
    for (const PlannedCalls& step : made) ledger_->count(is_first_look ? 0 : step.candidate, step.calls);
  if (monitors_) {
    const auto times = static_cast<std::size_t>(std::min(made.front().calls, calls_each_));
    calls_ += made.front().calls;
    watch(calls.first(times));
    return look(made.subspan(1), calls.subspan(times));
  }
  if (warms_up()) {
    calls_ += 1;
    calls = calls.subspan(1);
    made = made.subspan(1);
  }
  for (const PlannedCalls& step : made) {
    const auto times = static_cast<std::size_t>(std::min(step.calls, calls_each_));
    calls_ += step.calls;
    const auto of_step = calls.first(times);
    const bool refused = std::any_of(of_step.begin(), of_step.end(),
                                     [](const AgreedCall& call) { return !(call.slowest < refused_seconds); });
    if (refused || trials_.has_room(step.candidate)) trials_.add(step.candidate, of_step);
    calls = calls.subspan(times);
  }
}

void Searcher::choose() {
  monitors_ = true;
  trials_.condense();
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
  if (drift_ > 0 && calls_ - chosen_at_ >= calls_in_peace_ && trials_.are_far(calls)) {
    again_ = "sizes of calls are not those of before: searched again";
    trials_.forget();
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
