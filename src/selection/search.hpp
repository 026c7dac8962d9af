#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "selection/call_times.hpp"
#include "selection/plan.hpp"
#include "selection/searcher.hpp"
#include "selection/strategy.hpp"

namespace starling {

/// A search of ADCL's: it tries candidates one after the other, chooses the fastest, and watches it.
///
///   every rank   some calls of one candidate, then of another | the times of the last n of each, reduced to rank 0
///   rank 0       which candidates next, and for how many calls (`Searcher`)
///   every rank   gets that
class Search final : public Strategy {
 public:
  Search(const Brief& brief, MakeSearchPlan make);

  /// StrategyKind::may_be_told
  static bool may_be_told(const Brief& brief) {
    return std::any_of(brief.candidates.begin(), brief.candidates.end(),
                       [](const Candidate& one) { return one.eligible() && one.earlier.has_value(); });
  }
  std::span<double> opening() override;
  std::span<const double> observe(double seconds, double work) override {
    begin_counts();
    if (--left_ >= kept_) return {};
    const std::size_t place = first_ + static_cast<std::size_t>(left_);
    seconds_[place] = seconds;
    if (varying_work_) works_[place] = work;
    if (left_ != 0) return {};
    return end_step();
  }
  [[nodiscard]] int proposed_after(std::int64_t ahead) const override;
  [[nodiscard]] std::int64_t calls_until_agreement() const override;
  [[nodiscard]] std::optional<int> chosen() const override { return best_; }
  [[nodiscard]] Judge judge() const override { return Judge::first_rank; }
  [[nodiscard]] Reduction reduction() const override { return Reduction::maximum; }
  [[nodiscard]] std::size_t means() const override { return exchanged_.means(); }
  std::span<const double> ruling(std::span<const double> reduced) override;
  void verdict(std::span<const double> agreed) override;
  void agreement_took(double seconds) override {
    if (searcher_) searcher_->agreement_took(seconds);
  }
  static constexpr std::array<Doing, 3> stages{{{"single"}, {"search", true}, {"monitor"}}};
  [[nodiscard]] std::string_view stage() const override {
    const auto& [single, search, monitor] = stages;
    return (kept_ == 0 ? single : is_trying() ? search : monitor).name;
  }
  [[nodiscard]] bool exploring() const override { return kept_ > 0 && is_trying(); }
  [[nodiscard]] std::optional<Found> found(int candidate) const override {
    return searcher_ ? searcher_->found(candidate) : std::nullopt;
  }

 private:
  /// How many steps; the fastest candidate known; then calls and candidate of each step, negative if it is a trial.
  static constexpr std::size_t numbers_of_plan = Searcher::most_steps + 2;

  /// Not inlined, so that `observe` has no registers to save.
  [[gnu::noinline]] std::span<const double> end_step();
  void begin(std::vector<PlannedCalls> steps, int best);
  void begin_step();
  void tell_next();
  [[nodiscard]] bool is_trying() const { return !steps_.empty() && steps_[step_].is_trial; }
  [[nodiscard]] std::size_t times_of(const PlannedCalls& step) const {
    return static_cast<std::size_t>(std::min(kept_, step.calls));
  }

  std::int64_t left_ = std::numeric_limits<std::int64_t>::max();  ///< calls of the step
  std::int64_t kept_ = 0;        ///< so many of the last calls of a step have times that are exchanged
  std::size_t first_ = 0;        ///< where the step's times begin in `seconds_`
  std::vector<double> seconds_;  ///< of these calls, step by step
  std::vector<double> works_;
  bool varying_work_;
  bool synchronises_;
  CallTimes exchanged_;
  bool knows_earlier_ = false;
  int best_ = 0;
  std::int64_t candidates_;
  std::vector<PlannedCalls> steps_;  ///< before the ranks agree; empty where there is only one candidate
  std::size_t step_ = 0;
  std::vector<double> numbers_;         ///< for the ranks to agree on
  std::unique_ptr<Searcher> searcher_;  ///< on rank 0 only
};

/// A search by a `Plan`, for StrategyKind::make.
template <class Plan>
std::unique_ptr<Strategy> search_by(const Brief& brief) {
  return std::make_unique<Search>(
      brief, [](const Brief& of) -> std::unique_ptr<SearchPlan> { return std::make_unique<Plan>(of); });
}

}  // namespace starling
