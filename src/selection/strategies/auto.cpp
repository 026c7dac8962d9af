// auto: learns while the program runs, and hardly ever costs it more than native.
//
//   rank 0       what other communicators or earlier runs have found -> the first plan, if that is known
//   every rank   calls by a plan: so many of one candidate, then of another | slowest and fastest rank of each call,
//                                                                             and the mean, reduced to rank 0
//   rank 0       what is now known of all candidates -> the next plan (`Planner`)
//   every rank   gets the plan
//
// Where nothing can tell how long candidates take before they are tried, as with a program's own functions, their
// attributes tell what to try: `brute-force` with early stopping, guarded by the ledger of a plan.

#include <cmath>
#include <limits>
#include <utility>

#include "selection/call_times.hpp"
#include "selection/planner.hpp"
#include "selection/strategy.hpp"

namespace starling::strategies {
namespace {

class Auto final : public Strategy {
 public:
  explicit Auto(const Brief& brief)
      : candidates_(static_cast<std::int64_t>(brief.candidates.size())),
        tells_first_(brief.tells_first),
        exchanged_(brief) {
    if (!brief.candidates.summary().any_other) {
      left_ = std::numeric_limits<std::int64_t>::max();
      seconds_.resize(PlannedCalls::most_times);
      return;
    }
    if (brief.is_first_rank) planner_ = std::make_unique<Planner>(brief);
    plan_ = Planner::first_calls(brief);
    chosen_ = plan_.front().candidate;
    if (planner_) record_decision();
    varying_work_ = brief.varying_work;
    begin_plan();
  }

  std::span<double> opening() override {
    if (!tells_first_ || plan_.empty()) return {};
    numbers_.assign(numbers_of_plan, 0);
    if (planner_) tell(planner_->opening());
    return numbers_;
  }

  std::span<const double> observe(double seconds, double work) override {
    begin_counts();
    const std::size_t place = first_ + (static_cast<std::size_t>(--left_) % PlannedCalls::most_times);
    seconds_[place] = seconds;
    if (varying_work_) works_[place] = work;
    if (left_ != 0) return {};
    return end_step();
  }
  [[nodiscard]] std::int64_t calls_without_time() const override {
    return left_ - static_cast<std::int64_t>(PlannedCalls::most_times);
  }
  void pass() override { --left_; }

  [[nodiscard]] int proposed_after(std::int64_t ahead) const override {
    if (plan_.empty() || ahead < left_) return proposed();
    ahead -= left_;
    for (std::size_t i = step_ + 1; i < plan_.size(); ++i) {
      if (ahead < plan_[i].calls) return plan_[i].candidate;
      ahead -= plan_[i].calls;
    }
    return chosen_;
  }
  [[nodiscard]] std::int64_t calls_until_agreement() const override {
    std::int64_t calls = left_;
    for (std::size_t i = step_ + 1; i < plan_.size(); ++i) calls += plan_[i].calls;
    return calls;
  }

  [[nodiscard]] Judge judge() const override { return Judge::first_rank; }
  [[nodiscard]] Reduction reduction() const override { return Reduction::maximum; }
  [[nodiscard]] std::size_t means() const override { return exchanged_.means(); }
  [[nodiscard]] bool wants_measurement() const override { return wants_measurement_; }

  std::span<const double> ruling(std::span<const double> reduced) override {
    planner_->take(plan_, exchanged_.calls(reduced));
    numbers_.assign(reduced.size(), 0);
    tell(planner_->next());
    return numbers_;
  }

  void verdict(std::span<const double> agreed) override {
    if (agreed[0] == 0) return;  // nothing is known before the first call
    settled_ = agreed[0] < 0;
    chosen_ = static_cast<int>(agreed[1]);
    wants_measurement_ = agreed[2] > 0;
    plan_.clear();
    const std::span<const double> steps = agreed.subspan(before_steps, static_cast<std::size_t>(std::abs(agreed[0])));
    for (const double step : steps) {
      const auto code = static_cast<std::int64_t>(std::abs(step));
      plan_.push_back({static_cast<int>(code % candidates_), code / candidates_, step < 0});
    }
    begin_plan();
    numbers_ = std::vector<double>();  // not needed until the next agreement
  }

  void stretch_took(double seconds) override {
    if (planner_) planner_->stretch_took(seconds);
  }
  void agreement_took(double seconds) override {
    if (planner_) planner_->agreement_took(seconds);
  }

  [[nodiscard]] std::string_view stage() const override {
    return plan_.empty() ? "single" : settled_ ? "settled" : "learning";
  }
  [[nodiscard]] bool exploring() const override {
    return !plan_.empty() && plan_[step_].is_trial && plan_[step_].candidate != 0;
  }
  [[nodiscard]] bool settled() const override { return settled_; }
  [[nodiscard]] std::optional<int> chosen() const override { return chosen_; }
  [[nodiscard]] std::optional<Found> found(int candidate) const override {
    return planner_ ? planner_->found(candidate) : std::nullopt;
  }

  [[nodiscard]] std::optional<int> tried_instead_of(int candidate) const override {
    return planner_ ? planner_->tried_instead_of(candidate) : std::nullopt;
  }

 private:
  void begin_plan() {
    std::size_t times = 0;
    for (const PlannedCalls& step : plan_) times += step.times();
    seconds_ = std::vector<double>(times);
    works_ = std::vector<double>(varying_work_ ? times : 0);
    step_ = first_ = 0;
    begin_step();
  }
  void begin_step() {
    left_ = plan_[step_].calls;
    propose(plan_[step_].candidate);
  }

  [[gnu::noinline]] std::span<const double> end_step() {
    first_ += plan_[step_].times();
    if (step_ + 1 < plan_.size()) {
      ++step_;
      begin_step();
      return {};
    }
    // The next plan comes back in as many numbers.
    exchanged_.contribute(numbers_, seconds_, works_, longest_since_meeting(), numbers_of_plan);
    return numbers_;
  }

  /// Puts a plan into `numbers_`.
  void tell(const std::vector<PlannedCalls>& plan) {
    record_decision();
    const auto steps = static_cast<double>(plan.size());
    numbers_[0] = planner_->settled() ? -steps : steps;
    numbers_[1] = planner_->chosen();
    numbers_[2] = planner_->wants_measurement() ? 1 : 0;
    for (std::size_t i = 0; i < plan.size(); ++i) {
      const auto code = static_cast<double>((plan[i].calls * candidates_) + plan[i].candidate);
      numbers_[i + before_steps] = plan[i].is_trial ? -code : code;
    }
  }

  void record_decision() {
    if (auto made = planner_->take_decision()) decide(std::move(*made));
  }

  static constexpr std::size_t before_steps = 3;  ///< numbers of a plan
  static constexpr std::size_t numbers_of_plan = before_steps + Planner::most_steps;

  std::int64_t candidates_;
  bool tells_first_;
  CallTimes exchanged_;
  bool settled_ = false;
  bool wants_measurement_ = false;
  int chosen_ = 0;
  std::unique_ptr<Planner> planner_;  ///< on rank 0 only
  std::vector<PlannedCalls> plan_;    ///< empty where there is only native
  std::size_t step_ = 0;
  std::int64_t left_ = 0;        ///< calls left of the step
  std::size_t first_ = 0;        ///< where the step's times begin in `seconds_`
  std::vector<double> seconds_;  ///< of each step's latest calls, the latest first
  std::vector<double> works_;    ///< of the same calls, where it varies
  std::vector<double> numbers_;  ///< for the ranks to agree on
  bool varying_work_ = false;    ///< and there is a choice
};

std::unique_ptr<Strategy> guarded_search(Brief brief) {
  constexpr double improbable = 0.02;
  StrategySettings& settings = brief.settings;
  settings.give_up = true;
  settings.budget *= 2;  // nothing but a trial tells which candidates to leave out
  if (!(settings.early_stop > 0)) settings.early_stop = improbable;
  brief.guarded = true;
  return strategy_named("brute-force")->first->make(brief);
}

}  // namespace

StrategyKind auto_() {
  return {
      .name = "auto",
      .says = "learns from the first calls on what is worth its cost, and hardly ever costs more than native",
      .source = "Starling",
      .learns = true,
      .predicts = true,
      .stages = {{"single"}, {"learning", true}, {"settled"}, {"search", true}, {"monitor"}},
      .may_be_told = [](const Brief& brief) { return !Planner::are_short(brief.key); },
      .make = [](const Brief& brief) -> std::unique_ptr<Strategy> {
        return brief.unpredicted && brief.settings.budget > 0 ? guarded_search(brief) : std::make_unique<Auto>(brief);
      },
  };
}

}  // namespace starling::strategies
