#include "selection/dynamic_aeos.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>
#include <tuple>
#include <utility>

#include "measurement/statistics.hpp"
#include "messages/shared.hpp"
#include "selection/figures.hpp"

namespace starling {

DynamicAeos::DynamicAeos(const Brief& brief, std::span<const Interned> groups, RunOff run_off)
    : run_off_(run_off),
      iterations_(std::max(1, brief.settings.iterations)),
      tolerated_(1 + brief.settings.epsilon),
      delta_limit_(std::max(first_delta, brief.settings.delta_limit)),
      chance_(brief.settings.seed) {
  std::vector<Eligible> eligible;
  for (std::size_t index = 0; index < brief.candidates.size(); ++index) {
    const Candidate& candidate = brief.candidates[index];
    if (!candidate.eligible()) continue;
    CandidateTimes& one = known_.emplace_back();
    eligible.push_back({candidate.name, groups[index], static_cast<int>(index)});
    if (candidate.earlier && candidate.earlier->samples >= iterations_) {
      one.best_time = one.typical = candidate.earlier->seconds;
      one.earlier = one.settled = true;
    }
  }
  known_.shrink_to_fit();
  eligible_ = shared(std::move(eligible));
  ranking_.resize(known_.size());
  std::iota(ranking_.begin(), ranking_.end(), std::size_t{0});
  if (known_.size() >= 2) {
    std::vector<std::size_t> which = first_of_each_unknown_group();
    if (brief.varying_work) {
      scale_ = std::make_unique<WorkScale>(known_.size());
      sort_from(0);
      for (const std::size_t fast : {ranking_[0], ranking_[1]})
        if (known_[fast].earlier) which.push_back(fast);
    }
    if (which.empty()) {
      settle();
    } else {
      measure(Stage::measure_select, std::move(which));
    }
  } else {
    if (!known_.empty()) propose(of(known_.front()).candidate);
    left_ = std::numeric_limits<std::int64_t>::max();
  }
}

int DynamicAeos::proposed_after(std::int64_t ahead) const {
  if (!exploring()) return proposed();
  const std::size_t call = le_time_.size() + static_cast<std::size_t>(ahead);
  return call < planned_ ? of(known_[measuring_[whose(call)]]).candidate : 0;
}

std::int64_t DynamicAeos::calls_until_agreement() const {
  if (stage_ == Stage::single) return std::numeric_limits<std::int64_t>::max();
  if (exploring()) return static_cast<std::int64_t>(planned_ - std::min(planned_, le_time_.size()));
  return left_ + (in_last_iterations_ ? 0 : iterations_);
}

std::span<const double> DynamicAeos::milestone() {
  if (exploring()) {
    left_ = 1;
    ++calls_;
    le_time_.push_back(std::exchange(sum_, 0));
    if (scale_) le_work_.push_back(std::exchange(work_, 0));
    const std::size_t made = le_time_.size();
    if (made < planned_) {
      propose(of(known_[measuring_[whose(made)]]).candidate);
      return {};
    }
    le_time_.insert(le_time_.end(), le_work_.begin(), le_work_.end());
    return le_time_;
  }
  if (!in_last_iterations_) {
    in_last_iterations_ = true;
    left_ = iterations_;
    before_ = {std::exchange(sum_, 0), std::exchange(work_, 0)};
    return {};
  }
  calls_ += period();
  total_ = {before_[0] + sum_, sum_, before_[1] + work_, work_};
  return std::span(total_).first(scale_ ? 4 : 2);
}

void DynamicAeos::verdict(std::span<const double> agreed) {
  switch (stage_) {
    case Stage::monitor_adapt: adapt(agreed); return;
    case Stage::run_off: compare(comparable(agreed)); break;
    default: learn(comparable(agreed));
  }
  settle();
}

/// A candidate that may look faster than the selected one, but was never proven so, is recorded as slower: a later run
/// selects the fastest in the records.
std::optional<Found> DynamicAeos::found(int candidate) const {
  const auto one = std::find_if(known_.begin(), known_.end(),
                                [&](const CandidateTimes& known) { return of(known).candidate == candidate; });
  if (one == known_.end() || one->earlier || one->typical == unknown) return std::nullopt;
  const bool is_doubtful =
      run_off_ == RunOff::with_native && stage_ == Stage::monitor_adapt && !one->settled && &*one != &best();
  return Found{is_doubtful ? std::max(one->typical, behind * best().typical) : one->typical};
}

std::vector<std::size_t> DynamicAeos::first_of_each_unknown_group() const {
  std::vector<std::size_t> firsts;
  std::set<std::string_view> seen;
  for (const CandidateTimes& one : known_)
    if (one.best_time != unknown) seen.insert(of(one).group.text());
  for (std::size_t i = 0; i < known_.size(); ++i)
    if (seen.insert(of(known_[i]).group.text()).second) firsts.push_back(i);
  return firsts;
}

/// Whether it is not yet proven that the fastest is faster than native.
bool DynamicAeos::needs_run_off() const {
  const CandidateTimes& native = known_.front();
  const bool is_clear = native.best_time >= clearly * best().best_time && native.typical >= clearly * best().typical;
  return run_off_ == RunOff::with_native && of(native).candidate == 0 && &best() != &native && !best().settled &&
         !is_clear;
}

bool DynamicAeos::probed(Interned group) const {
  return std::none_of(known_.begin(), known_.end(),
                      [&](const CandidateTimes& one) { return of(one).group == group && one.best_time == unknown; });
}

void DynamicAeos::measure(Stage stage, std::vector<std::size_t> which) {
  stage_ = stage;
  measuring_ = std::move(which);
  planned_ = stage == Stage::run_off ? runoff_units * calls_of_unit
                                     : measuring_.size() * static_cast<std::size_t>(iterations_);
  le_time_.clear();
  le_time_.reserve(scale_ ? 2 * planned_ : planned_);
  if (scale_) {
    le_work_.clear();
    le_work_.reserve(planned_);
    if (stage != Stage::run_off) draw_order();
  }
  left_ = 1;
  sum_ = work_ = 0;
  propose(of(known_[measuring_[whose(0)]]).candidate);
}

/// Draws rounds in which each of measuring_ has one call, shuffled (Fisher and Yates).
void DynamicAeos::draw_order() {
  const std::size_t each = measuring_.size();
  order_.resize(planned_);
  for (std::size_t round = 0; round < planned_; round += each) {
    for (std::size_t i = 0; i < each; ++i) order_[round + i] = i;
    for (std::size_t i = each; i > 1; --i)
      std::swap(order_[round + i - 1],
                order_[round + static_cast<std::size_t>(chance_.next() * static_cast<double>(i))]);
  }
}

/// The times of a stage's calls; where work varies, scaled to the mean work.
std::vector<double> DynamicAeos::comparable(std::span<const double> agreed) {
  std::vector<double> times(agreed.begin(), agreed.begin() + static_cast<std::ptrdiff_t>(planned_));
  if (!scale_) return times;
  const auto works = agreed.subspan(planned_);
  double work = 0;
  for (std::size_t call = 0; call < planned_; ++call) {
    scale_->add(measuring_[whose(call)], works[call], times[call]);
    work += works[call];
  }
  scale_->fit();
  refer(work, static_cast<double>(planned_));
  for (std::size_t call = 0; call < planned_; ++call)
    times[call] *= scale_->factor(measuring_[whose(call)], works[call]);
  return times;
}

/// Adds calls to the mean work, and scales the known times to the new mean.
void DynamicAeos::refer(double work, double calls) {
  const bool is_first = !scale_->has_reference();
  const double before = scale_->reference();
  scale_->refer(work, calls);
  if (is_first) return;
  for (std::size_t i = 0; i < known_.size(); ++i) {
    const double factor = scale_->factor(i, before);
    known_[i].best_time *= factor;
    known_[i].typical *= factor;
  }
}

/// Dist_Time: the best iteration of each candidate counts. The calls of earlier runs may have had other work: where
/// work varies some of their candidates are measured again, and the times of the others are scaled in proportion.
void DynamicAeos::learn(std::span<const double> ge_time) {
  std::vector<std::vector<double>> times(measuring_.size());
  for (std::size_t call = 0; call < ge_time.size(); ++call) times[whose(call)].push_back(ge_time[call]);
  std::vector<double> proportions;
  for (std::size_t i = 0; i < measuring_.size(); ++i) {
    CandidateTimes& one = known_[measuring_[i]];
    const double typical = median(times[i]);
    if (one.earlier) proportions.push_back(typical / one.typical);
    one.best_time = *std::min_element(times[i].begin(), times[i].end());
    one.typical = typical;
    one.earlier = one.settled = false;
  }
  if (!scale_ || stage_ != Stage::measure_select || proportions.empty()) return;
  const double proportion = median(proportions);
  for (CandidateTimes& one : known_) {
    if (!one.earlier) continue;
    one.best_time *= proportion;
    one.typical *= proportion;
  }
}

/// Judges a run-off. Its times replace the known ones of winner and loser, as means, because Monitor_Adapt compares
/// means.
void DynamicAeos::compare(std::span<const double> ge_time) {
  CandidateTimes& native = known_[measuring_[0]];
  CandidateTimes& challenger = known_[measuring_[1]];
  std::array<std::vector<double>, 2> times;
  int won = 0;
  for (std::size_t unit = 0; unit < ge_time.size(); unit += calls_of_unit) {
    double lead = 0;
    for (std::size_t call = unit; call < unit + calls_of_unit; ++call) {
      const std::size_t who = turn(call);
      times[who].push_back(ge_time[call]);
      lead += who == 0 ? ge_time[call] : -ge_time[call];
    }
    if (lead > 0) ++won;
  }
  const double flattered = challenger.best_time;
  for (const std::size_t who : {0, 1}) {
    CandidateTimes& one = known_[measuring_[who]];
    one.best_time = filtered_mean(times[who]);
    one.typical = median(times[who]);
    one.earlier = false;
    one.settled = true;
  }
  run_offs_ += run_offs_.empty() ? "" : ", ";
  run_offs_ +=
      of(challenger).name + " won " + std::to_string(won) + " of " + std::to_string(runoff_units) + " against native";
  const bool wins = won >= units_to_win;
  failures_ = wins ? 0 : failures_ + 1;
  const CandidateTimes& better = wins ? challenger : native;
  CandidateTimes& other = wins ? native : challenger;
  other.best_time = std::max(other.best_time, behind * better.best_time);
  other.typical = std::max(other.typical, behind * better.typical);
  const bool is_last = wins || failures_ == failures_for_native;
  const double flattery = std::max(1.0, challenger.best_time / flattered);
  for (CandidateTimes& one : known_) {
    if (one.settled || one.best_time == unknown) continue;
    // Never above its median: one lucky call of the loser says little about the others.
    one.best_time = std::max(one.best_time, std::min(flattery * one.best_time, one.typical));
    if (is_last) one.best_time = std::max(one.best_time, behind * better.best_time);
  }
}

/// Lines 29 to 38 of figure 2.
void DynamicAeos::adapt(std::span<const double> total) {
  double whole = total[0] / static_cast<double>(period());
  double last = total[1] / static_cast<double>(iterations_);
  if (scale_) {
    if (const double now = total[3] / static_cast<double>(iterations_); scale_->is_far(now)) return measure_anew(now);
    const std::size_t in_use = ranking_[0];
    refer(total[2], static_cast<double>(period()));
    whole *= scale_->factor(in_use, total[2] / static_cast<double>(period()));
    last *= scale_->factor(in_use, total[3] / static_cast<double>(iterations_));
    sort_from(1);
  }
  const double threshold = tolerated_ * second().best_time;
  CandidateTimes& used = known_[ranking_[0]];
  used.typical = whole;
  used.earlier = false;
  used.settled = true;
  if (whole < threshold) {
    delta_ = std::min(delta_ * 2, delta_limit_);
    begin_period();
  } else if (last < threshold) {
    delta_ = first_delta;
    begin_period();
  } else {
    why_ = why_replaced(whole, last);
    replaced_ = of(best()).candidate;
    used.best_time = whole;
    // The network may have changed, for all candidates.
    for (CandidateTimes& one : known_) one.settled = &one == &used;
    settle();
  }
}

/// Nothing is known of calls that are far larger or smaller than all measured ones: Measure_Select begins anew.
void DynamicAeos::measure_anew(double work) {
  why_ = "calls have " + std::to_string(std::llround(work)) + " bytes a rank, unlike those measured before";
  replaced_ = of(best()).candidate;
  for (CandidateTimes& one : known_) one = {};
  scale_->forget_range();
  measure(Stage::measure_select, first_of_each_unknown_group());
}

/// Selects the fastest known candidate, after probing its group and a run-off where needed.
void DynamicAeos::settle() {
  sort_from(0);
  if (!probed(of(best()).group)) {
    probe(of(best()).group);
    return;
  }
  if (needs_run_off()) {
    measure(Stage::run_off, {0, ranking_[0]});
    return;
  }
  if (stage_ != Stage::monitor_adapt && replaced_ >= 0)
    why_ += ": " + of(best()).name + " is fastest at " + time_in_words(best().best_time);
  failures_ = 0;
  std::string why = replaced_ < 0 ? why_selected() : why_;
  if (!run_offs_.empty()) why += "; " + std::exchange(run_offs_, {});
  decide({calls_, replaced_, of(best()).candidate, std::move(why)});
  propose(of(best()).candidate);
  stage_ = Stage::monitor_adapt;
  // Not `= {}`, which keeps the memory.
  measuring_ = std::vector<std::size_t>();
  le_time_ = std::vector<double>();
  le_work_ = std::vector<double>();
  order_ = std::vector<std::size_t>();
  delta_ = first_delta;
  begin_period();
}

/// Measures the candidates of a group: in Measure_Select those without a known time; in Monitor_Adapt all of them,
/// because the time of the first one is old by then.
void DynamicAeos::probe(Interned group) {
  std::vector<std::size_t> which;
  for (std::size_t i = 0; i < known_.size(); ++i)
    if (of(known_[i]).group == group && (replaced_ >= 0 || known_[i].best_time == unknown)) which.push_back(i);
  if (replaced_ >= 0) why_ += "; measured group " + group + " (" + std::to_string(which.size()) + ")";
  measure(Stage::probe_group, std::move(which));
}

/// With equal times the first candidate wins, so all ranks agree, and native ranks before candidates that are no
/// faster.
void DynamicAeos::sort_from(std::size_t place) {
  const auto from = ranking_.begin() + static_cast<std::ptrdiff_t>(place);
  std::sort(from, ranking_.end(), [&](std::size_t one, std::size_t other) {
    return std::tie(known_[one].best_time, one) < std::tie(known_[other].best_time, other);
  });
}

void DynamicAeos::begin_period() {
  in_last_iterations_ = false;
  left_ = period() - iterations_;
  sum_ = work_ = 0;
}

std::string DynamicAeos::why_selected() const {
  const auto left_out =
      std::count_if(known_.begin(), known_.end(), [](const CandidateTimes& one) { return one.best_time == unknown; });
  const auto at = [&](const CandidateTimes& one) { return of(one).name + " at " + time_in_words(one.best_time); };
  const std::string how = best().earlier   ? "in earlier runs"
                          : best().settled ? "in a run-off"
                                           : "best of " + std::to_string(iterations_) + " calls";
  std::string why = "fastest of " + std::to_string(std::ssize(known_) - left_out) + " candidates at " +
                    time_in_words(best().best_time) + " (" + how + "); then " + at(second());
  const CandidateTimes& first = known_.front();
  if (&first != &best() && &first != &second()) why += ", " + at(first);
  if (left_out > 0) why += "; " + std::to_string(left_out) + " in slower groups not measured";
  return why + for_work();
}

std::string DynamicAeos::why_replaced(double whole, double last) const {
  return of(best()).name + " slowed to " + time_in_words(whole) + " over " + std::to_string(period()) +
         " calls (last " + std::to_string(iterations_) + ": " + time_in_words(last) + "); " + of(second()).name +
         " is at " + time_in_words(second().best_time) + for_work();
}

std::string DynamicAeos::for_work() const {
  if (!scale_ || !(scale_->reference() > 0)) return {};
  return "; times are for " + std::to_string(std::llround(scale_->reference())) + " bytes a rank";
}

}  // namespace starling
