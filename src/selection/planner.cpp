#include "selection/planner.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <limits>
#include <utility>

#include "measurement/statistics.hpp"
#include "messages/shared.hpp"
#include "selection/figures.hpp"
#include "selection/noise.hpp"

namespace starling {
namespace {

/// How many standard deviations above its mean a time is at worst: 1. Where nothing is known of any candidate, that
/// would allow no trial for a long time.
constexpr double of_guess = 0.5;
/// Below this share of a call's time nothing is gained.
constexpr double least_gain = 0.001;
/// A candidate that was measured so often is known.
constexpr std::int64_t known_well = 49;
/// Calls between two agreements while nothing is tried: a part of all calls, within bounds.
constexpr std::int64_t part_of_calls = 8;
constexpr std::int64_t fewest_between = 4;
constexpr std::int64_t fewest_in_a_row = 2;
constexpr std::int64_t most_between = 128;
/// Native is measured again after as many calls as there have been, but at least once in so many, unless that costs
/// more than this share of their time.
constexpr std::int64_t longest_without_control = 512;
constexpr double share_of_controls = 0.02;
/// The relative change of a time that is none of the network's.
constexpr double least_change = 0.12;
constexpr int fewest_to_watch = 3;
/// By how many standard deviations a candidate must have been measured faster than the chosen one: so many per unit of
/// scatter, from 1 up.
constexpr double deviations_by_scatter = 7;
constexpr double most_deviations = 3;
/// How trustworthy the times of earlier runs are.
constexpr double spread_of_earlier = 0.08;
constexpr double common_spread_of_earlier = 0.1;

/// Of those that need no setup: what needs one is begun with once enough calls were made (Planner::has_earned_setup).
int fastest_of_earlier(const Brief& brief) {
  int best = 0;
  if (!brief.candidates.front().earlier) return best;
  for (std::size_t i = 1; i < brief.candidates.size(); ++i) {
    const Candidate& one = brief.candidates[i];
    if (one.eligible() && one.earlier && one.setup_seconds == 0 &&
        one.earlier->seconds < brief.candidates[static_cast<std::size_t>(best)].earlier->seconds)
      best = static_cast<int>(i);
  }
  return best;
}

std::string ratio_in_words(double ratio) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.2f", ratio);
  return text.data();
}

}  // namespace

bool Planner::are_short(const ContextKey& key) {
  constexpr std::int64_t short_bytes = 8192;
  return key.bytes >= 0 && key.bytes < short_bytes;
}

std::vector<PlannedCalls> Planner::first_calls(const Brief& brief) {
  // One, as rank 0 may know already what is fastest. Of short calls more: an agreement may take longer than they do. Of
  // rooted ones more, too: programs that make only some would lose most by agreeing. Of short ones that wait for nobody
  // most where ranks share processors: after an agreement ranks are in step, and then wait for the root's turn.
  constexpr std::int64_t of_rooted = 4;
  constexpr std::int64_t of_short = 16;  // many communicators get no more before they are freed
  constexpr std::int64_t of_short_that_wait_for_nobody = 512;
  constexpr std::int64_t bytes_of_these = 1024;  // less
  std::int64_t calls = brief.synchronises ? 1 : of_rooted;
  if (are_short(brief.key))
    calls = brief.shares_processors && brief.root_gives && brief.key.bytes < bytes_of_these
                ? of_short_that_wait_for_nobody
                : of_short;
  const int first = fastest_of_earlier(brief);
  // All know what is fastest: a communicator that is freed after a few such calls is not worth an agreement.
  constexpr double worth_an_agreement = 1e-4;  // seconds of calls
  if (const auto& earlier = brief.candidates[static_cast<std::size_t>(first)].earlier) {
    constexpr double most = 64;
    calls = std::max(calls, static_cast<std::int64_t>(std::min(most, worth_an_agreement / earlier->seconds)));
  }
  return {{first, calls, false}};
}

Planner::Planner(const Brief& brief)
    : budget_(brief.settings.budget / usual_budget),
      names_(brief.candidates.summary().names),
      eligible_(brief.candidates.summary().eligible),
      estimates_(brief.candidates.summary().groups),
      chance_(brief.settings.seed),
      waiting_(brief.synchronises),
      synchronises_(brief.synchronises),
      shares_processors_(brief.shares_processors),
      stake_(brief, budget_),
      ledger_(budget_, brief.candidates.size()),
      gain_(brief.candidates.size()),
      agreements_(budget_, brief.synchronises, brief.shares_processors),
      knowledge_(brief.knowledge),
      chosen_(fastest_of_earlier(brief)) {
  for (std::size_t i = 0; brief.candidates.summary().any_earlier && i < brief.candidates.size(); ++i) {
    const Candidate& one = brief.candidates[i];
    expect_setup(static_cast<int>(i), one.setup_seconds);
    if (!one.earlier || !(one.earlier->seconds > shortest)) continue;
    estimates_.believe(static_cast<int>(i),
                       {one.earlier->seconds, spread_of_earlier, "earlier runs", common_spread_of_earlier});
    any_belief_ = any_belief_ || i > 0;
  }
  estimates_.update();
  if (brief.varying_work) scale_ = std::make_unique<WorkScale>(brief.candidates.size());
  gain_.believe_earlier_runs(chosen_now());
  if (chosen_ != 0)
    decision_ = Decision{0, -1, chosen_,
                         name_of(chosen_) + " was fastest in earlier runs, at " +
                             time_in_words(brief.candidates[static_cast<std::size_t>(chosen_)].earlier->seconds)};
}

std::vector<PlannedCalls> Planner::opening() {
  const bool knows_others = take_from_elsewhere();
  if (!estimates_.is_believed(0)) return {};
  if (!knows_others) ask_knowledge();
  if (knowledge_ && !knows_others && !asked_) return {};
  stake_.know_native();
  choose();
  return next();
}

/// What other communicators have measured, once. Whether that has any candidate but native.
bool Planner::take_from_elsewhere() {
  if (!knowledge_ || std::exchange(has_looked_elsewhere_, true)) return false;
  bool any_other = false;
  for (const auto& [candidate, belief] : knowledge_->measured_elsewhere()) {
    if (!eligible(candidate) || estimates_.is_believed(candidate) || !(belief.seconds > shortest)) continue;
    believe(candidate, belief);
    any_other = any_other || candidate != 0;
  }
  estimates_.update();
  return any_other;
}

/// Asks once an answer costs no more than the ledger has, or than a small part of what calls took, with a smaller
/// budget less: many contexts have too few calls for any trial.
void Planner::ask_knowledge() {
  wants_measurement_ = false;
  if (asked_ || !knowledge_) return;
  const double native = time_of(0);
  if (const auto measuring = knowledge_->seconds_to_measure(); measuring) {
    wants_measurement_ = stake_.is_enough_to_measure(*measuring, native, knowledge_->spent_elsewhere());
    // Once the network is known the first trials follow soon, as after a new choice.
    if (wants_measurement_) chosen_at_ = calls_;
    return;
  }
  const double cost = knowledge_->seconds_to_ask();
  const bool is_enough = stake_.is_enough_to_predict(cost, native);
  const double left = ledger_.allowed(static_cast<double>(ledger_.calls()), native) - lost_to_native();
  if (cost > left && !is_enough) return;
  asked_ = has_just_asked_ = true;
  try_each_once();
  for (int i = 0; i < candidates(); ++i) {
    if (!eligible(i) || estimates_.is_believed(i)) continue;
    const auto belief = knowledge_->belief(i, native);
    if (!belief || !(belief->seconds > shortest)) continue;
    believe(i, *belief);
  }
  estimates_.update();
}

void Planner::believe(int candidate, const Belief& belief) {
  estimates_.believe(candidate, belief);
  if (candidate == 0) return;
  ledger_.expect_to_begin(candidate, knowledge_->seconds_to_begin(candidate));
  expect_setup(candidate, knowledge_->setup_seconds(candidate));
  any_belief_ = true;
}

void Planner::expect_setup(int candidate, double seconds) {
  if (seconds == 0) return;
  if (!setup_) setup_ = std::make_unique<std::vector<float>>();
  const auto place = static_cast<std::size_t>(candidate);
  if (setup_->size() <= place) setup_->resize(place + 1);
  (*setup_)[place] = static_cast<float>(seconds);
}

/// Seconds of a candidate that was not called on this communicator yet.
double Planner::setup_of(int candidate) const {
  const auto place = static_cast<std::size_t>(candidate);
  const bool is_known = setup_ && place < setup_->size() && estimates_.measured(candidate) == 0;
  return is_known ? static_cast<double>((*setup_)[place]) : 0;
}

/// Whether the calls so far would have saved what a candidate's setup costs. So a communicator that gets a few calls
/// does not pay for what it never earns, and one that gets many loses that cost twice at most.
bool Planner::has_earned_setup(int candidate) const {
  const double setup = setup_of(candidate);
  return setup == 0 || static_cast<double>(calls_) * (time_of(chosen_) - time_of(candidate)) >= setup;
}

/// Leaves out all but one of those that do the same: the chosen one stays. What is believed now of any comes from
/// earlier runs.
void Planner::try_each_once() {
  const auto alike = knowledge_->alike([&](int i) { return eligible(i); });
  if (alike.empty()) return;
  instead_ = shared(tried_instead(alike, [&](int i) {
    if (i == chosen_) return std::optional(0.0);
    return estimates_.is_believed(i) ? std::optional(time_of(i)) : std::nullopt;
  }));
  for (std::size_t i = 0; i < eligible_.size(); ++i)
    if ((*instead_)[i]) eligible_[i] = false;
}

void Planner::take(std::span<const PlannedCalls> plan, std::span<const AgreedCall> calls) {
  waiting_.take(plan, calls);
  for (int i = 0; i < candidates(); ++i)
    if (const double factor = waiting_.correction(i); factor != 1 && estimates_.measured(i) > 0) {
      estimates_.scale(i, factor);
      if (scale_)
        for (Taken& one : *taken_.find(static_cast<std::size_t>(i))) one.seconds *= static_cast<float>(factor);
    }
  if (scale_) take_work(plan, calls);
  estimates_.update();
  std::vector<double> of_chosen;
  double in_calls = 0;
  const bool was_surprised = std::exchange(surprised_, false);
  for (const PlannedCalls& step : plan) {
    std::vector<double> times;
    const std::span<const AgreedCall> measured = calls.first(step.times());
    calls = calls.subspan(measured.size());
    calls_ += step.calls;
    ledger_.count(step.candidate, step.calls);
    std::vector<double> as_measured;
    std::vector<double> without_waiting;
    std::vector<Taken> taken;
    bool was_refused = false;
    for (std::size_t i = measured.size(); i > 0; --i) {
      const AgreedCall& call = measured[i - 1];
      double seconds = std::max(waiting_.seconds(step.candidate, call), shortest);
      if (!(call.slowest < refused_seconds)) {
        was_refused = true;
        continue;
      }
      as_measured.push_back(seconds);
      without_waiting.push_back(std::max(call.fastest, shortest));
      if (scale_) {
        taken.push_back({static_cast<float>(call.work), static_cast<float>(seconds)});
        seconds *= scale_->factor(static_cast<std::size_t>(step.candidate), call.work);
      }
      times.push_back(seconds);
    }
    if (step.candidate == chosen_) {
      of_chosen.insert(of_chosen.end(), times.begin(), times.end());
    } else if (is_surprising(step.candidate, times)) {
      surprised_ = !was_surprised;
    }
    if (step.candidate == 0 && chosen_ != 0) look_at_native(times);
    for (const double one : times) estimates_.add(step.candidate, one);
    if (!taken.empty()) {
      const auto candidate = static_cast<std::size_t>(step.candidate);
      std::vector<Taken>& all = taken_.has(candidate) ? *taken_.find(candidate) : taken_.add(candidate);
      all.insert(all.end(), taken.begin(), taken.end());
      keep_latest(step.candidate, Estimates::window);
      estimates_.doubt(step.candidate, scale_->doubt(candidate));
    }
    // One very long call among those measured is not what the others of the step took.
    if (!as_measured.empty()) {
      in_calls += median(as_measured) * static_cast<double>(step.calls);
      const double at_stake = median(without_waiting) * static_cast<double>(step.calls);
      stake_.add(at_stake);
      if (knowledge_) knowledge_->spend(at_stake);
    }
    if (was_refused && step.candidate != 0) {  // native carried out these calls
      eligible_[static_cast<std::size_t>(step.candidate)] = false;
      ledger_.was_refused(step.candidate, step.calls);
    }
    if (step.is_trial && eligible(step.candidate) && !measured.empty()) note_trial(step.candidate);
  }
  watch(of_chosen, was_surprised);
  estimates_.update();
  agreements_.add_calls(in_calls);
  prove(plan, in_calls);
  take_from_elsewhere();
  ask_knowledge();
  if (!surprised_) choose();
  if (!knowledge_) return;
  for (const PlannedCalls& step : plan)
    if (estimates_.measured(step.candidate) > 0)
      knowledge_->learn(step.candidate, estimates_.median(step.candidate), estimates_.measured(step.candidate));
}

/// Where the work varies: what the calls of a plan tell of how times grow with work. All times that are kept are scaled
/// anew, because a candidate's large calls tell what its small ones were worth.
void Planner::take_work(std::span<const PlannedCalls> plan, std::span<const AgreedCall> calls) {
  for (const PlannedCalls& step : plan) {
    const std::span<const AgreedCall> measured = calls.first(step.times());
    calls = calls.subspan(measured.size());
    double work = 0;
    for (std::size_t i = measured.size(); i > 0; --i) {
      const AgreedCall& call = measured[i - 1];
      work += call.work;
      if (!(call.slowest < refused_seconds)) continue;
      scale_->add(static_cast<std::size_t>(step.candidate), call.work,
                  std::max(waiting_.seconds(step.candidate, call), shortest));
    }
    // The measured calls of a long step stand for the others.
    const auto all = static_cast<double>(step.calls);
    if (!measured.empty()) scale_->refer(work * all / static_cast<double>(measured.size()), all);
  }
  scale_->fit();
  for (int i = 0; i < candidates(); ++i) {
    const auto candidate = static_cast<std::size_t>(i);
    const std::vector<Taken>* const all = taken_.find(candidate);
    if (all == nullptr || all->empty()) continue;
    estimates_.forget(i);
    for (const Taken& one : *all) {
      const double factor = scale_->factor(candidate, static_cast<double>(one.work));
      estimates_.add(i, static_cast<double>(one.seconds) * factor);
    }
    estimates_.doubt(i, scale_->doubt(candidate));
  }
}

void Planner::keep_latest(int candidate, std::size_t calls) {
  std::vector<Taken>* const all = taken_.find(static_cast<std::size_t>(candidate));
  if (all == nullptr || all->size() <= calls) return;
  all->erase(all->begin(), all->end() - static_cast<std::ptrdiff_t>(calls));
}

/// Whether more calls of a candidate would tell hardly more. Many small ones tell little of large ones.
bool Planner::is_known_well(int candidate) const {
  constexpr double little_doubt = 0.05;
  return estimates_.measured(candidate) >= known_well && estimates_.doubt_of(candidate) < little_doubt;
}

/// Whether the latest times of a candidate are not what was known of it. `estimates_` is as of before them.
bool Planner::is_surprising(int candidate, std::span<const double> seconds) const {
  if (seconds.empty() || estimates_.measured(candidate) < 2) return false;
  const Estimate known = estimates_.of(candidate);
  const double found = std::log(median(seconds));
  const double scatter = estimates_.scatter() * std::sqrt(1.6 / static_cast<double>(seconds.size()));
  const double bound = std::max(least_change, chance_deviations * std::hypot(known.spread, scatter));
  return std::abs(found - known.log_seconds) > bound;
}

/// Looks whether native has become clearly faster than ever before: twice in a row, and only these times count. While
/// another candidate is chosen it is called rarely, so the slow calls with which a context begins would be its time for
/// thousands of calls. `seconds` are still to be added.
void Planner::look_at_native(std::span<const double> seconds) {
  if (seconds.empty()) return;
  const std::vector<double> before = std::exchange(faster_native_, {});
  constexpr double clearly = 0.8;
  const double bound = before.empty() ? clearly * estimates_.shortest(0) : time_of(0);
  if (!is_surprising(0, seconds) || median(seconds) > bound) return;
  if (before.empty()) {
    faster_native_.assign(seconds.begin(), seconds.end());
    return;
  }
  estimates_.forget(0);
  keep_latest(0, before.size());
  for (const double one : before) estimates_.add(0, one);
  estimates_.update();
}

/// Looks whether the network has changed: the chosen candidate is surprising twice in a row, or once after another one
/// was.
void Planner::watch(std::span<const double> seconds, bool was_surprised) {
  if (std::ssize(seconds) < fewest_to_watch) return;
  if (!is_surprising(chosen_, seconds)) {
    deviations_ = 0;
    return;
  }
  const double found = median(seconds);
  const double known = time_of(chosen_);
  const int sign = found > known ? 1 : -1;
  deviations_ = deviations_ * sign > 0 ? deviations_ + sign : sign;
  if (std::abs(deviations_) < 2 && !was_surprised) return;
  start_anew(name_of(chosen_) + " takes " + time_in_words(found) + " instead of " + time_in_words(known));
  for (const double one : seconds) estimates_.add(chosen_, one);
  if (!scale_) return;
  for (int i = 0; i < candidates(); ++i) keep_latest(i, i == chosen_ ? seconds.size() : 0);
}

void Planner::start_anew(const std::string& why) {
  estimates_.age();
  waiting_.forget();
  gain_.start_anew();
  ledger_.start_anew();
  next_control_ = 1;
  faster_native_.clear();
  deviations_ = 0;
  quiet_plans_ = 0;
  changed_ = why;
}

/// The latest trials are named in the next decision.
void Planner::note_trial(int candidate) {
  constexpr std::size_t most_named = 5;
  if (std::find(tried_.begin(), tried_.end(), candidate) != tried_.end()) return;
  if (tried_.size() == most_named) tried_.erase(tried_.begin());
  tried_.push_back(candidate);
}

/// What counts where candidates are compared.
Estimate Planner::for_program(int candidate) const {
  Estimate one = estimates_.of(candidate);
  one.log_seconds += gain_.handicap(candidate);
  return one;
}

bool Planner::needs_proof() const {
  // Where ranks share processors nothing tells who is late, which may be different ones from one stretch to the next.
  // Nor does anything of a rooted collective, but that native waited in calls for what others then wait for elsewhere.
  constexpr double clearly = 0.5;
  const bool may_be_late =
      (shares_processors_ && time_of(chosen_) > clearly * time_of(0)) || (!synchronises_ && gain_.is_doubted(chosen_));
  const double to_fastest =
      may_be_late ? std::numeric_limits<double>::infinity() : std::max(waiting_.ratio(chosen_), waiting_.ratio(0));
  return gain_.needs_proof(chosen_now(), ledger_.calls_of(chosen_), to_fastest);
}

/// Goes back to native where the program gains nothing from the chosen candidate. `in_calls`: seconds of the plan's
/// calls.
void Planner::prove(std::span<const PlannedCalls> plan, double in_calls) {
  const auto found = gain_.take(plan, in_calls, chosen_now(), static_cast<bool>(waiting_));
  if (!found) return;
  become(0, "the program takes " + time_in_words(found->with_candidate) + " from call to call with " +
                name_of(chosen_).text() + ", whose calls take " + ratio_in_words(time_of(chosen_) / time_of(0)) +
                " of native's time, and " + time_in_words(found->with_native) + " with native");
}

/// Whether `candidate` is faster than the chosen one, by all that is known and by what was measured alone: a belief is
/// a reason to try, but none to stay. The more single times scatter, the clearer it must be, but for native.
bool Planner::is_faster(int candidate) const {
  const Estimate now = for_program(chosen_);
  const Estimate other = for_program(candidate);
  if (now.log_seconds - other.log_seconds <= std::hypot(now.spread, other.spread)) return false;
  if (estimates_.measured(chosen_) == 0 || estimates_.measured(candidate) == 0) return true;
  const Estimate measured = estimates_.measured_alone(chosen_);
  const Estimate alone = estimates_.measured_alone(candidate);
  const double needed =
      candidate == 0 ? 1 : std::clamp(estimates_.scatter() * deviations_by_scatter, 1.0, most_deviations);
  return measured.log_seconds + gain_.handicap(chosen_) - alone.log_seconds - gain_.handicap(candidate) >
         needed * std::hypot(measured.spread, alone.spread);
}

void Planner::choose() {
  int best = chosen_;
  const bool stays = eligible(chosen_);
  for (int i = 0; i < candidates(); ++i) {
    if (i == chosen_ || !eligible(i) || (estimates_.measured(i) == 0 && !estimates_.is_proven(i))) continue;
    if (!has_earned_setup(i)) continue;
    if (stays && !is_faster(i)) continue;
    if (best == chosen_ || for_program(i).log_seconds < for_program(best).log_seconds) best = i;
  }
  if (!stays && best == chosen_) best = 0;
  if (best == chosen_) return;
  std::string why = in_words(best) + ", " + (stays ? in_words(chosen_) : name_of(chosen_) + " cannot serve here");
  if (best != 0 && chosen_ != 0) why += ", " + in_words(0);
  if (!changed_.empty()) why += "; " + std::exchange(changed_, {});
  std::string others;
  for (const int one : tried_)
    if (one != best && one != chosen_ && one != 0)
      others += (others.empty() ? "" : ", ") + name_of(one) + " " + time_in_words(time_of(one));
  if (!others.empty()) why += "; tried: " + others;
  become(best, std::move(why));
}

void Planner::become(int candidate, std::string why) {
  tried_.clear();
  decision_ = Decision{calls_, decision_ ? decision_->from : chosen_, candidate, std::move(why)};
  chosen_ = candidate;
  chosen_at_ = calls_;
  deviations_ = 0;
}

std::string Planner::in_words(int candidate) const {
  std::string text = name_of(candidate) + " takes " + time_in_words(time_of(candidate));
  if (candidate != 0) text += " (" + ratio_in_words(time_of(candidate) / time_of(0)) + " of native's time)";
  return text;
}

std::optional<Decision> Planner::take_decision() {
  return std::exchange(decision_, std::nullopt);
}

double Planner::lost_to_native() const {
  return ledger_.lost(time_of(0), [&](int candidate) { return for_program(candidate).seconds(); });
}

/// Seconds that a trial of so many calls may lose, at worst.
double Planner::trial_at_worst(int candidate, std::int64_t times) const {
  const Estimate one = for_program(candidate);
  const bool is_guess = estimates_.measured(candidate) == 0 && !any_belief_;
  const double of_call = std::exp(one.log_seconds + ((is_guess ? of_guess : 1) * one.spread)) - time_of(0);
  return ledger_.cost_of_trial(candidate, times, std::max(0.0, of_call));
}

/// The trial that is worth most, of those that the ledger allows; nothing if none is worth its cost.
std::optional<int> Planner::best_trial(std::int64_t times, double lost, double calls,
                                       std::span<const PlannedCalls> but) const {
  const Estimate chosen = for_program(chosen_);
  const double expected_calls = std::max(Stake::fewest_expected, calls);
  const double allowed = ledger_.allowed(calls, time_of(0));
  std::optional<int> best;
  if (!may_try()) return best;
  double most = 0;
  for (int i = 0; i < candidates(); ++i) {
    if (i == chosen_ || !eligible(i) || is_known_well(i)) continue;
    if (std::any_of(but.begin(), but.end(), [&](const PlannedCalls& step) { return step.candidate == i; })) continue;
    const Prospect one = prospect(for_program(i), chosen);
    const double begin = ledger_.seconds_to_begin(i) + setup_of(i);
    const double worth = (one.gain * expected_calls) - one.loss - (begin / time_of(chosen_));
    if (one.gain < least_gain || worth <= most || lost + trial_at_worst(i, times) > allowed) continue;
    most = worth;
    best = i;
  }
  return best;
}

/// Whether enough is at stake for any trial, and what is known of the candidates has been asked for.
bool Planner::may_try() const {
  return (asked_ || !knowledge_) && stake_.is_enough_to_try(time_of(0));
}

/// While nothing may be tried, an agreement tells only whether something now may: after as many calls again at most,
/// for calls may become longer.
std::int64_t Planner::calls_until_something_may_be_tried() const {
  const auto most = static_cast<double>(std::max(ledger_.calls(), fewest_between));
  return static_cast<std::int64_t>(std::min(stake_.calls_until_enough(time_of(0), calls_), most));
}

bool Planner::control_is_due() const {
  return chosen_ != 0 && (ledger_.calls() >= next_control_ || !faster_native_.empty());
}

/// Calls after which to look again at what was chosen: it rests on few calls at first.
std::int64_t Planner::calls_until_second_look() const {
  return std::max(agreements_.calls_worth_one(time_of(chosen_)), calls_ - chosen_at_);
}

std::vector<PlannedCalls> Planner::next() {
  const double call = time_of(chosen_);
  const std::int64_t free_from = std::min(agreements_.calls_until_it_pays(call), calls_until_second_look());
  // Short calls are tried several times at once, and several candidates: agreements are dear then.
  const bool dear = agreements_.seconds() > call / 4;
  // Ranks that share processors begin a trial's first call at different times, as each gets one.
  const auto calls_at_once = [&](double of_call) {
    constexpr std::int64_t most = 4;
    return shares_processors_ || agreements_.seconds() > of_call ? most : agreements_.seconds() > of_call / 16 ? 2 : 1;
  };
  const std::int64_t calls_of_trial = calls_at_once(call);
  const std::size_t most_trials = free_from > 8 ? most_steps - 2 : dear ? 2 : 1;

  constexpr std::int64_t calls_of_baseline = 2;
  if (calls_ < calls_of_baseline && !stake_.knows_native())
    return {{chosen_, std::max(free_from, calls_of_baseline - calls_), false}};
  if (wants_measurement_) return {{chosen_, 1, false}};  // to measure takes longer than to agree once more
  if (surprised_) return {{chosen_, std::max<std::int64_t>(free_from, fewest_to_watch), false}};
  const auto stretch = [&] {
    return std::vector<PlannedCalls>{
        {gain_.next(), std::max(free_from, ProgramGain::calls_of_stretch), gain_.next() == 0}};
  };
  if (!gain_.is_proving() && needs_proof() && !gain_.has_proven_any()) gain_.begin_proof(chosen_);
  if (gain_.is_proving()) return stretch();
  std::vector<PlannedCalls> trials;
  double lost = lost_to_native();
  double most_gain = 0;  // that a trial promises, as a share of the chosen candidate's time
  const auto calls = static_cast<double>(ledger_.calls() + free_from);
  while (trials.size() < most_trials) {
    std::int64_t times = calls_of_trial;
    auto best = best_trial(times, lost, calls, trials);
    if (!best) best = best_trial(times = 1, lost, calls, trials);
    if (!best) break;
    most_gain = std::max(most_gain, prospect(for_program(*best), for_program(chosen_)).gain);
    trials.push_back({*best, times, true});
    lost += trial_at_worst(*best, times);
  }
  if (trials.empty() && needs_proof()) {
    gain_.begin_proof(chosen_);
    return stretch();
  }
  if (control_is_due()) {
    const std::int64_t times = calls_at_once(time_of(0));
    // By its shortest time: its first calls may have been slow, which these calls are to show.
    const double cost = static_cast<double>(times) * (estimates_.shortest(0) - call);  // seconds
    next_control_ = ledger_.calls() + std::max(std::clamp<std::int64_t>(ledger_.calls(), 16, longest_without_control),
                                               static_cast<std::int64_t>(cost / (share_of_controls * call)));
    trials.insert(trials.begin(), {0, times, true});
  }
  quiet_plans_ = trials.empty() ? quiet_plans_ + 1 : 0;

  std::int64_t of_chosen = free_from;
  // Where ranks share processors an agreement takes longer than many calls. After a trial that promises much it pays
  // soon.
  if (shares_processors_ && most_gain > 0)
    of_chosen = std::min(of_chosen, static_cast<std::int64_t>(std::ceil(agreements_.seconds() / (most_gain * call))));
  if (trials.empty()) {
    of_chosen =
        std::max(free_from, may_try() ? std::clamp(ledger_.calls() / part_of_calls, fewest_between, most_between)
                                      : calls_until_something_may_be_tried());
    if (deviations_ != 0) of_chosen = std::max(free_from, fewest_between);
    // In a row its calls may take longer than its trial did.
    if (chosen_ != 0 && estimates_.measured(chosen_) < fewest_to_watch)
      of_chosen = std::max(free_from, fewest_in_a_row);
  } else {
    for (const PlannedCalls& trial : trials) of_chosen -= trial.calls;
    // Large calls may come at regular places: trials must not.
    constexpr double places = 2;
    if (scale_) of_chosen = std::max<std::int64_t>(of_chosen, 0) + static_cast<std::int64_t>(chance_.next() * places);
  }
  // After an agreement ranks begin together, and a trial tells more.
  constexpr double much_waiting = 1.15;
  const bool trials_first = waiting_.ratio(chosen_) > much_waiting;
  if (of_chosen > 0) trials.insert(trials_first ? trials.end() : trials.begin(), {chosen_, of_chosen, false});
  return trials;
}

/// What asking for predictions took is not the agreement's own cost.
void Planner::agreement_took(double seconds) {
  if (!std::exchange(has_just_asked_, false)) agreements_.add(seconds, time_of(chosen_));
}

std::optional<Found> Planner::found(int candidate) const {
  if (estimates_.measured(candidate) == 0) return std::nullopt;
  // With what it costs the program besides: a later run is to begin with what serves the program.
  const double seconds = estimates_.median(candidate) * std::exp(gain_.handicap(candidate));
  return Found{seconds, estimates_.scatter() * seconds};
}

}  // namespace starling
