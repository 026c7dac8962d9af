#include "selection/planner.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <limits>
#include <utility>

#include "measurement/statistics.hpp"
#include "selection/figures.hpp"
#include "selection/noise.hpp"

namespace starling {
namespace {

/// What n calls together may lose against native: allowance + growth x sqrt(n) of native's calls. Of ever more calls an
/// ever smaller share; of 20 calls the usual budget.
constexpr double usual_budget = 0.05;
constexpr double allowance = 0.5;
constexpr double growth = 0.12;
/// How many standard deviations above its mean a time is at worst: 1. Where nothing is known of any candidate, that
/// would allow no trial for a long time.
constexpr double of_guess = 0.5;
/// A program that has just started is expected to make at least so many calls more, any other as many as so far.
constexpr double fewest_expected = 20;
/// Below this share of a call's time nothing is gained.
constexpr double least_gain = 0.001;
/// A candidate that was measured so often is known.
constexpr std::int64_t known_well = 49;
/// Calls that show that ranks wait longer with a candidate.
constexpr std::int64_t enough_to_delay = 4;
/// What may be spent to know more before a trial, as a share of what is at stake: from as many calls again as much may
/// be gained. Predictions serve one context, a measurement of the network all of them.
constexpr double share_of_predictions = 0.25;
constexpr double share_of_measurement = 0.5;
/// The same of what was at stake in all runs: this one may be over soon.
constexpr double share_of_measurement_in_all_runs = 0.1;
/// The share of the time of collectives that agreements may take, and how many calls' time in advance.
constexpr double share_of_agreements = 0.008;
constexpr double advance_of_agreements = 1;
/// Even where calls are very short, the ranks agree again after so many.
constexpr double most_until_agreement = 1e6;
/// Seconds that an agreement is taken to need before one was timed.
constexpr double first_agreement = 50e-6;
/// Calls between two agreements while nothing is tried: a part of all calls, within bounds.
constexpr std::int64_t part_of_calls = 8;
constexpr std::int64_t fewest_between = 4;
constexpr std::int64_t most_between = 128;
/// Native is measured again after as many calls as there have been, but at least once in so many.
constexpr std::int64_t longest_without_control = 512;
/// The relative change of a time that is none of the network's.
constexpr double least_change = 0.12;
constexpr int fewest_to_watch = 3;
/// By how many standard deviations a candidate must have been measured faster than the chosen one: so many per unit of
/// scatter, from 1 up.
constexpr double deviations_by_scatter = 7;
constexpr double most_deviations = 3;
/// From this share of native's time down, a gain in calls is no accident.
constexpr double clear_gain = 0.7;
/// How trustworthy the times of earlier runs are.
constexpr double spread_of_earlier = 0.08;
constexpr double common_spread_of_earlier = 0.1;

std::vector<Interned> groups_of(const Brief& brief) {
  std::vector<Interned> groups;
  for (const Candidate& one : brief.candidates) groups.push_back(one.group);
  return groups;
}

int fastest_of_earlier(const Brief& brief) {
  int best = 0;
  if (!brief.candidates.front().earlier) return best;
  for (std::size_t i = 1; i < brief.candidates.size(); ++i) {
    const Candidate& one = brief.candidates[i];
    if (one.eligible() && one.earlier &&
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
  constexpr std::int64_t short_bytes = 1024;
  return key.bytes >= 0 && key.bytes < short_bytes;
}

std::vector<PlannedCalls> Planner::first_calls(const Brief& brief) {
  // One, as rank 0 may know already what is fastest. Of short calls more: an agreement may take longer than they do. Of
  // rooted ones more, too: programs that make only some would lose most by agreeing.
  constexpr std::int64_t of_rooted = 4;
  const std::int64_t calls = are_short(brief.key) ? std::int64_t{PlannedCalls::most_times}
                             : brief.synchronises ? 1
                                                  : of_rooted;
  return {{fastest_of_earlier(brief), calls, false}};
}

Planner::Planner(const Brief& brief)
    : budget_(brief.settings.budget / usual_budget),
      least_at_stake_(brief.settings.stake),
      calls_before_(brief.candidates.front().earlier ? static_cast<double>(brief.calls_before) : 0),
      estimates_(groups_of(brief)),
      knowledge_(brief.knowledge),
      enough_at_stake_(brief.settings.stake),
      waiting_(brief.synchronises),
      proven_(brief.candidates.size()),
      chosen_(fastest_of_earlier(brief)),
      synchronises_(brief.synchronises),
      agreement_(first_agreement) {
  for (std::size_t i = 0; i < brief.candidates.size(); ++i) {
    const Candidate& one = brief.candidates[i];
    names_.push_back(one.name);
    eligible_.push_back(one.eligible());
    if (!one.earlier || !(one.earlier->seconds > shortest)) continue;
    estimates_.believe(static_cast<int>(i),
                       {one.earlier->seconds, spread_of_earlier, "earlier runs", common_spread_of_earlier});
    any_belief_ = any_belief_ || i > 0;
  }
  estimates_.update();
  if (brief.varying_work) scale_ = std::make_unique<WorkScale>(brief.candidates.size());
  // A candidate that did not serve the program was filed with a longer time than that of its calls (`found`).
  proven_[static_cast<std::size_t>(chosen_)] = chosen_ != 0 && time_of(chosen_) < clear_gain * time_of(0);
  if (chosen_ != 0)
    decision_ = Decision{0, -1, chosen_,
                         names_[static_cast<std::size_t>(chosen_)] + " was fastest in earlier runs, at " +
                             time_in_words(brief.candidates[static_cast<std::size_t>(chosen_)].earlier->seconds)};
}

std::vector<PlannedCalls> Planner::opening() {
  if (!estimates_.is_believed(0)) {
    const auto native = knowledge_ ? knowledge_->belief(0, 0) : std::nullopt;
    if (!native || !(native->seconds > shortest)) return {};
    estimates_.believe(0, *native);
    estimates_.update();
  }
  ask_knowledge();
  if (knowledge_ && !asked_) return {};
  knows_native_ = true;
  choose();
  return next();
}

/// Asks once an answer costs no more than the ledger has, or than what it may be expected to gain, with a smaller
/// budget less: many contexts have too few calls for any trial.
void Planner::ask_knowledge() {
  wants_measurement_ = false;
  if (asked_ || !knowledge_) return;
  const double native = time_of(0);
  const double part = std::min(1.0, budget_);
  const double cost = knowledge_->seconds_to_ask();
  if (const auto measuring = knowledge_->seconds_to_measure(); measuring) {
    enough_at_stake_ = *measuring / std::max(share_of_measurement * part, shortest);
    wants_measurement_ = at_stake() >= enough_at_stake_ ||
                         at_stake_in_all_runs() * share_of_measurement_in_all_runs * part >= *measuring;
    return;
  }
  enough_at_stake_ = std::max(least_at_stake_, cost / std::max(share_of_predictions * part, shortest));
  const double left = allowed(static_cast<double>(since_)) - lost_to_native();
  if (cost > left && at_stake() < enough_at_stake_) return;
  asked_ = has_just_asked_ = true;
  to_begin_.resize(static_cast<std::size_t>(candidates()));
  for (int i = 0; i < candidates(); ++i) {
    if (!eligible(i) || estimates_.is_believed(i)) continue;
    const auto belief = knowledge_->belief(i, native);
    if (!belief || !(belief->seconds > shortest)) continue;
    estimates_.believe(i, *belief);
    to_begin_[static_cast<std::size_t>(i)] = static_cast<float>(knowledge_->seconds_to_begin(i));
    any_belief_ = true;
  }
  estimates_.update();
}

void Planner::take(std::span<const PlannedCalls> plan, std::span<const AgreedCall> calls) {
  if (waiting_.has_changed(plan, calls))
    start_anew(waiting_ ? "ranks begin to wait for each other" : "ranks no longer wait for each other");
  std::vector<double> of_chosen;
  const double elapsed_before = elapsed_;
  const bool was_surprised = std::exchange(surprised_, false);
  for (const PlannedCalls& step : plan) {
    std::vector<double> times;
    const std::span<const AgreedCall> measured = calls.first(step.times());
    calls = calls.subspan(measured.size());
    calls_ += step.calls;
    since_ += step.calls;
    if (calls_of_.empty() && step.candidate != 0) calls_of_.resize(eligible_.size());
    if (!calls_of_.empty()) calls_of_[static_cast<std::size_t>(step.candidate)] += step.calls;
    std::vector<double> as_measured;
    std::vector<double> without_waiting;
    bool was_refused = false;
    for (std::size_t i = measured.size(); i > 0; --i) {
      const AgreedCall& call = measured[i - 1];
      double seconds = std::max(seconds_of(call), shortest);
      if (!(call.slowest < refused_seconds)) {
        was_refused = true;
        continue;
      }
      as_measured.push_back(seconds);
      without_waiting.push_back(std::max(call.fastest, shortest));
      if (scale_) {
        const auto candidate = static_cast<std::size_t>(step.candidate);
        scale_->add(candidate, call.work, seconds);
        scale_->fit();
        const double before = scale_->reference();
        const bool is_first = !scale_->has_reference();
        scale_->refer(call.work, 1);
        for (int other = 0; other < candidates() && !is_first; ++other)
          if (estimates_.measured(other) > 0)
            estimates_.scale(other, scale_->factor(static_cast<std::size_t>(other), before));
        seconds *= scale_->factor(candidate, call.work);
      }
      times.push_back(seconds);
    }
    if (step.candidate == chosen_) {
      of_chosen.insert(of_chosen.end(), times.begin(), times.end());
    } else if (is_surprising(step.candidate, times)) {
      surprised_ = !was_surprised;
    }
    for (const double one : times) estimates_.add(step.candidate, one);
    // One very long call among those measured is not what the others of the step took.
    if (!as_measured.empty()) {
      elapsed_ += median(as_measured) * static_cast<double>(step.calls);
      transfer_ += median(without_waiting) * static_cast<double>(step.calls);
    }
    if (was_refused && step.candidate != 0) {  // native carried out these calls
      eligible_[static_cast<std::size_t>(step.candidate)] = false;
      calls_of_[static_cast<std::size_t>(step.candidate)] -= step.calls;
    }
    if (step.is_trial && eligible(step.candidate) && !measured.empty()) note_trial(step.candidate);
  }
  watch(of_chosen, was_surprised);
  estimates_.update();
  take_stretch(plan, elapsed_ - elapsed_before);
  ask_knowledge();
  if (!surprised_) choose();
  if (!knowledge_) return;
  for (const PlannedCalls& step : plan)
    if (estimates_.measured(step.candidate) > 0)
      knowledge_->learn(step.candidate, estimates_.median(step.candidate), estimates_.measured(step.candidate));
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
  start_anew(names_[static_cast<std::size_t>(chosen_)] + " takes " + time_in_words(found) + " instead of " +
             time_in_words(known));
  for (const double one : seconds) estimates_.add(chosen_, one);
}

void Planner::start_anew(const std::string& why) {
  estimates_.age();
  waiting_.forget();
  proof_ = {};
  between_native_calls_.clear();
  proven_.assign(proven_.size(), false);
  handicap_ = 0;
  calls_of_.clear();
  since_ = 0;
  next_control_ = 1;
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

/// The logarithm of what a candidate must be faster by in its calls, for the program to be no slower with it.
double Planner::handicap(int candidate) const {
  return candidate == 0 || proven_[static_cast<std::size_t>(candidate)] ? 0 : handicap_;
}

/// What counts where candidates are compared.
Estimate Planner::for_program(int candidate) const {
  Estimate one = estimates_.of(candidate);
  one.log_seconds += handicap(candidate);
  return one;
}

/// Whether it is not certain enough that the program gains from the chosen candidate.
bool Planner::needs_proof() const {
  constexpr double clearly = 0.9;
  constexpr double together = 1.25;  // the slowest rank's time relative to the fastest's
  constexpr int fewest_calls = 3;
  const auto at = static_cast<std::size_t>(chosen_);
  if (chosen_ == 0 || proven_[at] || !(stretch_ > 0) || calls_of(chosen_) < fewest_calls) return false;
  return time_of(chosen_) > clearly * time_of(0) || std::max(waiting_.ratio(chosen_), waiting_.ratio(0)) > together;
}

/// Whether calls with the chosen candidate gain so much that it is no accident, and the program has most of it: then
/// one stretch is enough, and native need not take turns. Not where ranks wait for late ones: that varies from stretch
/// to stretch.
bool Planner::gains_clearly(double between_calls) const {
  constexpr double most = 0.5;
  constexpr std::ptrdiff_t fewest = 2;
  if (waiting_ || std::ssize(between_native_calls_) < fewest) return false;
  const double lost = between_calls - median(between_native_calls_);
  return time_of(chosen_) < clear_gain * time_of(0) && lost < (1 - most) * (time_of(0) - time_of(chosen_));
}

/// Gives the proof its stretch, of whose seconds so many passed in calls, and draws the conclusion.
void Planner::take_stretch(std::span<const PlannedCalls> plan, double in_calls) {
  if (!(stretch_ > 0)) return;
  double calls = 0;
  for (const PlannedCalls& step : plan) calls += static_cast<double>(step.calls);
  const double between = (stretch_ - in_calls) / calls;
  if (!proof_.is_running()) {
    constexpr std::ptrdiff_t most = 3;
    if (plan.front().candidate != 0 || 2 * static_cast<double>(plan.front().calls) < calls) return;
    if (std::ssize(between_native_calls_) == most) between_native_calls_.erase(between_native_calls_.begin());
    between_native_calls_.push_back(between);
    return;
  }
  if (proof_.candidate() != chosen_ || plan.size() != 1 || plan.front().candidate != proof_.next()) {
    proof_ = {};
    return;
  }
  if (plan.front().candidate == chosen_ && gains_clearly(between)) {
    proof_ = {};
    proven_[static_cast<std::size_t>(chosen_)] = true;
    return;
  }
  proof_.add(stretch_ / calls);
  const double gain = time_of(0) - time_of(chosen_);
  const auto found = proof_.result(gain / (stretch_ / calls));
  if (!found) return;
  proven_[static_cast<std::size_t>(chosen_)] = found->is_faster;
  if (found->is_faster) return;
  const double by_calls = std::log(time_of(0) / time_of(chosen_));
  handicap_ = std::max({handicap_, 0.0, by_calls + std::log(found->with_candidate / found->with_native)});
  std::string why = "the program takes " + time_in_words(found->with_candidate) + " from call to call with " +
                    names_[static_cast<std::size_t>(chosen_)].text() + ", whose calls take " +
                    ratio_in_words(time_of(chosen_) / time_of(0)) + " of native's time, and " +
                    time_in_words(found->with_native) + " with native";
  tried_.clear();
  decision_ = Decision{calls_, decision_ ? decision_->from : chosen_, 0, std::move(why)};
  chosen_ = 0;
  chosen_at_ = calls_;
  deviations_ = 0;
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
  return measured.log_seconds + handicap(chosen_) - alone.log_seconds - handicap(candidate) >
         needed * std::hypot(measured.spread, alone.spread);
}

void Planner::choose() {
  int best = chosen_;
  const bool stays = eligible(chosen_) && !waiting_.delays(chosen_);
  for (int i = 0; i < candidates(); ++i) {
    if (i == chosen_ || !eligible(i) || (estimates_.measured(i) == 0 && !estimates_.is_proven(i))) continue;
    if (waiting_.delays(i) || (stays && !is_faster(i))) continue;
    if (best == chosen_ || for_program(i).log_seconds < for_program(best).log_seconds) best = i;
  }
  if (!stays && best == chosen_) best = 0;
  if (best == chosen_) return;
  std::string why = in_words(best) + ", " + in_words(chosen_);
  if (best != 0 && chosen_ != 0) why += ", " + in_words(0);
  if (waiting_.delays(chosen_)) why += "; ranks wait longer with " + names_[static_cast<std::size_t>(chosen_)];
  if (!changed_.empty()) why += "; " + std::exchange(changed_, {});
  std::string others;
  for (const int one : tried_)
    if (one != best && one != chosen_ && one != 0)
      others +=
          (others.empty() ? "" : ", ") + names_[static_cast<std::size_t>(one)] + " " + time_in_words(time_of(one));
  if (!others.empty()) why += "; tried: " + others;
  tried_.clear();
  decision_ = Decision{calls_, decision_ ? decision_->from : chosen_, best, why};
  chosen_ = best;
  chosen_at_ = calls_;
  deviations_ = 0;
}

std::string Planner::in_words(int candidate) const {
  const auto at = static_cast<std::size_t>(candidate);
  std::string text = names_[at] + " takes " + time_in_words(time_of(candidate));
  if (candidate != 0) text += " (" + ratio_in_words(time_of(candidate) / time_of(0)) + " of native's time)";
  return text;
}

std::optional<Decision> Planner::take_decision() {
  return std::exchange(decision_, std::nullopt);
}

/// Seconds by which all calls since the network changed took longer than native would have, by what is known now: a
/// time that turns out to be that of a disturbed call is not charged.
double Planner::lost_to_native() const {
  const double native = time_of(0);
  double lost = 0;
  for (int i = 1; i < candidates(); ++i) {
    const auto calls = static_cast<double>(calls_of(i));
    if (calls > 0)
      lost += (calls * (for_program(i).seconds() - native)) +
              (to_begin_.empty() ? 0.0 : static_cast<double>(to_begin_[static_cast<std::size_t>(i)]));
  }
  return lost;
}

/// Seconds that a call may take longer than native's, at worst.
double Planner::loss_at_worst(int candidate) const {
  const Estimate one = for_program(candidate);
  const bool is_guess = estimates_.measured(candidate) == 0 && !any_belief_;
  return std::max(0.0, std::exp(one.log_seconds + ((is_guess ? of_guess : 1) * one.spread)) - time_of(0));
}

/// Seconds that the next call with a candidate costs besides.
double Planner::seconds_to_begin(int candidate) const {
  if (to_begin_.empty() || calls_of(candidate) > 0) return 0;
  return static_cast<double>(to_begin_[static_cast<std::size_t>(candidate)]);
}

/// Seconds that a trial of so many calls may lose, at worst.
double Planner::trial_at_worst(int candidate, std::int64_t times) const {
  return (static_cast<double>(times) * loss_at_worst(candidate)) + seconds_to_begin(candidate);
}

/// Seconds that so many calls may lose against native.
double Planner::allowed(double calls) const {
  return budget_ * (allowance + (growth * std::sqrt(calls))) * time_of(0);
}

bool Planner::affordable(int candidate, std::int64_t times, double lost, double calls) const {
  return lost + trial_at_worst(candidate, times) <= allowed(calls);
}

/// The trial that is worth most, of those that the ledger allows; nothing if none is worth its cost.
std::optional<int> Planner::best_trial(std::int64_t times, double lost, double calls,
                                       std::span<const PlannedCalls> but) const {
  const Estimate chosen = for_program(chosen_);
  const double expected_calls = std::max(fewest_expected, calls);
  std::optional<int> best;
  if (!may_try()) return best;
  double most = 0;
  for (int i = 0; i < candidates(); ++i) {
    if (i == chosen_ || !eligible(i) || estimates_.measured(i) >= known_well) continue;
    if (waiting_.delays(i) && estimates_.measured(i) >= enough_to_delay) continue;
    if (std::any_of(but.begin(), but.end(), [&](const PlannedCalls& step) { return step.candidate == i; })) continue;
    const Prospect one = prospect(for_program(i), chosen);
    const double worth = (one.gain * expected_calls) - one.loss - (seconds_to_begin(i) / time_of(chosen_));
    if (one.gain < least_gain || worth <= most || !affordable(i, times, lost, calls)) continue;
    most = worth;
    best = i;
  }
  return best;
}

/// Whether enough is at stake for any trial, and what is known of the candidates has been asked for.
bool Planner::may_try() const {
  return (asked_ || !knowledge_) && at_stake_in_all_runs() >= least_at_stake_;
}

/// While nothing may be tried, an agreement tells only whether something now may: after as many calls again at most,
/// for calls may become longer.
std::int64_t Planner::calls_until_something_may_be_tried() const {
  const double of_a_call = transfer_ / static_cast<double>(std::max<std::int64_t>(calls_, 1));
  const double missing = std::ceil((enough_at_stake_ - at_stake()) / std::max(of_a_call, shortest));
  return static_cast<std::int64_t>(std::clamp(missing, 1.0, static_cast<double>(std::max(since_, fewest_between))));
}

/// Seconds of calls, without waiting, from which as many calls again may gain: those made, or, where native's time was
/// known before the first one, those that are expected at least.
double Planner::at_stake() const {
  return knows_native_ ? std::max(transfer_, fewest_expected * time_of(0)) : transfer_;
}

/// The same for what the history keeps, so that later runs need not pay for it again: as many calls again as there were
/// in all runs.
double Planner::at_stake_in_all_runs() const {
  return std::max(at_stake(), calls_before_ * time_of(0));
}

bool Planner::control_is_due() const {
  return chosen_ != 0 && since_ >= next_control_;
}

/// Calls after which one more agreement costs no more than its share.
std::int64_t Planner::calls_until_agreement_pays() const {
  const double call = time_of(chosen_);
  const double part = std::min(1.0, budget_);
  const double share = share_of_agreements * part;
  const double owed = agreements_ + cost_of_agreement() - (share * elapsed_) - (advance_of_agreements * part * call);
  if (!(owed > 0)) return 0;
  return static_cast<std::int64_t>(std::min(most_until_agreement, std::ceil(owed / (share * call))));
}

/// Calls after which to look again at what was chosen: it rests on few calls at first.
std::int64_t Planner::calls_until_second_look() const {
  constexpr double fewest = 8;
  constexpr double agreements = 16;  // in whose time
  const double worth_one = std::max(fewest, agreements * cost_of_agreement() / time_of(chosen_));
  return std::max(static_cast<std::int64_t>(std::min(worth_one, most_until_agreement)), calls_ - chosen_at_);
}

std::vector<PlannedCalls> Planner::next() {
  const std::int64_t free_from = std::min(calls_until_agreement_pays(), calls_until_second_look());
  const double call = time_of(chosen_);
  // Short calls are tried several times at once, and several candidates: agreements are dear then.
  const bool dear = agreement_ > call / 4;
  const std::int64_t calls_of_trial = agreement_ > call ? 4 : agreement_ > call / 16 ? 2 : 1;
  const std::size_t most_trials = free_from > 8 ? most_steps - 2 : dear ? 2 : 1;

  constexpr std::int64_t calls_of_baseline = 2;
  if (calls_ < calls_of_baseline && !knows_native_)
    return {{chosen_, std::max(free_from, calls_of_baseline - calls_), false}};
  if (wants_measurement_) return {{chosen_, std::max<std::int64_t>(free_from, 1), false}};
  if (surprised_) return {{chosen_, std::max<std::int64_t>(free_from, fewest_to_watch), false}};
  const auto stretch = [&] {
    return std::vector<PlannedCalls>{{proof_.next(), std::max(free_from, Proof::calls), proof_.next() == 0}};
  };
  const bool any_proven = std::find(proven_.begin(), proven_.end(), true) != proven_.end();
  if (!proof_.is_running() && needs_proof() && !any_proven) proof_.begin(chosen_);
  if (proof_.is_running()) return stretch();
  std::vector<PlannedCalls> trials;
  double lost = lost_to_native();
  const auto calls = static_cast<double>(since_ + free_from);
  while (trials.size() < most_trials) {
    std::int64_t times = calls_of_trial;
    auto best = best_trial(times, lost, calls, trials);
    if (!best) best = best_trial(times = 1, lost, calls, trials);
    if (!best) break;
    trials.push_back({*best, times, true});
    lost += trial_at_worst(*best, times);
  }
  if (trials.empty() && needs_proof()) {
    proof_.begin(chosen_);
    return stretch();
  }
  if (control_is_due()) {
    next_control_ = since_ + std::clamp<std::int64_t>(since_, 16, longest_without_control);
    trials.insert(trials.begin(), {0, calls_of_trial, true});
  }
  quiet_plans_ = trials.empty() ? quiet_plans_ + 1 : 0;

  std::int64_t of_chosen = free_from;
  if (trials.empty()) {
    of_chosen = std::max(free_from, may_try() ? std::clamp(since_ / part_of_calls, fewest_between, most_between)
                                              : calls_until_something_may_be_tried());
    if (deviations_ != 0) of_chosen = std::max(free_from, fewest_between);
  } else {
    for (const PlannedCalls& trial : trials) of_chosen -= trial.calls;
  }
  std::vector<PlannedCalls> plan;
  if (of_chosen > 0) plan.push_back({chosen_, of_chosen, false});
  plan.insert(plan.end(), trials.begin(), trials.end());
  return plan;
}

/// Any agreement may wait for a late rank, and the first ones also open connections: that is not their own cost. What
/// asking for predictions took is not, either.
void Planner::agreement_took(double seconds) {
  if (std::exchange(has_just_asked_, false)) return;
  constexpr double most_at_first = 1e-3;
  agreement_ = std::min(agreements_ == 0 ? most_at_first : agreement_ * 1.3, seconds);
  agreements_ += cost_of_agreement();
}

/// Ranks that are done early in a rooted collective go on, and may begin the next one: an agreement takes this lead.
double Planner::cost_of_agreement() const {
  constexpr double lead = 0.5;  // of a call
  return synchronises_ ? agreement_ : std::max(agreement_, lead * time_of(chosen_));
}

std::optional<Found> Planner::found(int candidate) const {
  if (estimates_.measured(candidate) == 0) return std::nullopt;
  // With what it costs the program besides: a later run is to begin with what serves the program.
  const double seconds = estimates_.median(candidate) * std::exp(handicap(candidate));
  return Found{seconds, estimates_.scatter() * seconds};
}

}  // namespace starling
