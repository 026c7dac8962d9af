// star-basic: the dynamic AEOS algorithm of STAR-MPI without grouping, as figure 2 of the paper has it.
//
//   Measure_Select   native 10x, candidate 1 10x, ..., candidate n-1 10x | exchange n x 10 times | the fastest is
//   selected Monitor_Adapt    delta * 10 calls of the selected | exchange the total of all of them and of the last 10
//                      mean of all      < (1 + epsilon) * second best : delta doubles
//                      mean of last 10 >= (1 + epsilon) * second best : select the second best, delta = 2
//                      else                                           : delta = 2

#include <algorithm>
#include <array>
#include <limits>

#include "selection/figures.hpp"
#include "selection/strategy.hpp"

namespace starling::strategies {
namespace {

constexpr std::int64_t first_delta = 2;

class StarBasic final : public Strategy {
 public:
  explicit StarBasic(const Brief& brief)
      : iterations_(std::max(1, brief.settings.iterations)),
        tolerated_(1 + brief.settings.epsilon),
        delta_limit_(std::max(first_delta, brief.settings.delta_limit)) {
    for (int index = 0; index < static_cast<int>(brief.candidates.size()); ++index) {
      const Candidate& candidate = brief.candidates[static_cast<std::size_t>(index)];
      if (candidate.eligible()) ranking_.push_back({index, 0, candidate.name});
    }
    if (!ranking_.empty()) propose(ranking_.front().candidate);
    if (ranking_.size() < 2) {
      stage_ = Stage::single;
      left_ = std::numeric_limits<std::int64_t>::max();
    } else {
      le_time_.reserve(ranking_.size() * static_cast<std::size_t>(iterations_));
    }
  }

  /// One countdown serves all stages, so that a call in a monitoring period costs two additions and a comparison.
  std::span<const double> observe(double seconds) override {
    sum_ += seconds;
    if (--left_ != 0) return {};
    return milestone();
  }

  void verdict(std::span<const double> agreed) override {
    if (stage_ == Stage::measure_select) {
      select(agreed);
    } else {
      adapt(agreed);
    }
  }

  [[nodiscard]] std::string_view stage() const override {
    switch (stage_) {
      case Stage::measure_select: return "measure_select";
      case Stage::monitor_adapt: return "monitor_adapt";
      default: return "single";
    }
  }
  [[nodiscard]] bool exploring() const override { return stage_ == Stage::measure_select; }

 private:
  enum class Stage : std::uint8_t { single, measure_select, monitor_adapt };

  /// An eligible candidate and the best time known of it, seconds a call.
  struct Ranked {
    int candidate;
    double best_time;
    std::string name;
  };

  [[nodiscard]] std::int64_t period() const { return delta_ * iterations_; }

  /// A measured call, the start of a period's last ITER calls, or the end of a period. Kept out of line, so that
  /// `observe` has no registers to save.
  [[gnu::noinline]] std::span<const double> milestone() {
    if (stage_ == Stage::measure_select) {
      left_ = 1;
      ++calls_;
      le_time_.push_back(std::exchange(sum_, 0));
      const std::size_t index = le_time_.size() / static_cast<std::size_t>(iterations_);
      if (index == ranking_.size()) return le_time_;
      propose(ranking_[index].candidate);
      return {};
    }
    if (!in_last_iterations_) {
      in_last_iterations_ = true;
      left_ = iterations_;
      before_ = std::exchange(sum_, 0);
      return {};
    }
    calls_ += period();
    total_ = {before_ + sum_, sum_};
    return total_;
  }

  void begin_period() {
    in_last_iterations_ = false;
    left_ = period() - iterations_;
    sum_ = 0;
  }

  /// Lines 17 and 18, Dist_Time and Sort_Alg: the best iteration of each candidate counts.
  void select(std::span<const double> ge_time) {
    const auto each = static_cast<std::size_t>(iterations_);
    for (std::size_t i = 0; i < ranking_.size(); ++i) {
      const auto times = ge_time.subspan(i * each, each);
      ranking_[i].best_time = *std::min_element(times.begin(), times.end());
    }
    const Ranked first = ranking_.front();
    sort();
    stage_ = Stage::monitor_adapt;
    le_time_ = {};
    std::string why = "fastest of " + std::to_string(ranking_.size()) + " candidates at their best of " +
                      std::to_string(iterations_) + " calls: " + in_microseconds(ranking_[0].best_time) +
                      "; second is " + ranking_[1].name + " at " + in_microseconds(ranking_[1].best_time);
    if (first.candidate != ranking_[0].candidate && first.candidate != ranking_[1].candidate)
      why += ", " + first.name + " takes " + in_microseconds(first.best_time);
    decide({calls_, -1, ranking_[0].candidate, std::move(why)});
    propose(ranking_[0].candidate);
    begin_period();
  }

  /// Lines 29 to 38.
  void adapt(std::span<const double> total) {
    const double whole = total[0] / static_cast<double>(period());
    const double last = total[1] / static_cast<double>(iterations_);
    const double threshold = tolerated_ * ranking_[1].best_time;
    if (whole < threshold) {
      delta_ = std::min(delta_ * 2, delta_limit_);
    } else {
      if (last >= threshold) replace(whole, last);
      delta_ = first_delta;
    }
    begin_period();
  }

  void replace(double whole, double last) {
    const Ranked& selected = ranking_[0];
    const Ranked& second = ranking_[1];
    std::string why = selected.name + " took " + in_microseconds(whole) + " on average over " +
                      std::to_string(period()) + " calls and " + in_microseconds(last) + " over the last " +
                      std::to_string(iterations_) + ", not less than " + in_digits(tolerated_) + " times the " +
                      in_microseconds(second.best_time) + " of " + second.name;
    const int from = selected.candidate;
    ranking_[0].best_time = whole;
    sort();
    decide({calls_, from, ranking_[0].candidate, std::move(why)});
    propose(ranking_[0].candidate);
  }

  /// Equal times keep their order, so all ranks agree, and native stays before what is no faster.
  void sort() {
    std::stable_sort(ranking_.begin(), ranking_.end(),
                     [](const Ranked& one, const Ranked& other) { return one.best_time < other.best_time; });
  }

  double sum_ = 0;         ///< seconds since the last milestone
  std::int64_t left_ = 1;  ///< calls until the next milestone
  double before_ = 0;      ///< seconds of a period's calls but the last ITER
  bool in_last_iterations_ = false;
  Stage stage_ = Stage::measure_select;
  std::int64_t iterations_;
  double tolerated_;  ///< 1 + epsilon
  std::int64_t delta_ = first_delta;
  std::int64_t delta_limit_;
  std::int64_t calls_ = 0;       ///< at the last milestone that was a verdict, or measured
  std::vector<Ranked> ranking_;  ///< fastest first once selected; before, in the order they are measured
  std::vector<double> le_time_;  ///< [candidate][iteration], while measuring
  std::array<double, 2> total_{};
};

}  // namespace

StrategyKind star_basic() {
  return {
      .name = "star-basic",
      .says =
          "measures every candidate in turn, uses the fastest, and moves on to the second best when it deteriorates",
      .source = "Faraj, Yuan and Lowenthal 2006 (STAR-MPI), section 3.2, figure 2",
      .few_sizes = true,
      .make = [](const Brief& brief) -> std::unique_ptr<Strategy> { return std::make_unique<StarBasic>(brief); },
  };
}

}  // namespace starling::strategies
