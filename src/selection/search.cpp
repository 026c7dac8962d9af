#include "selection/search.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace starling {

Search::Search(const Brief& brief, MakeSearchPlan make)
    : varying_work_(brief.varying_work),
      synchronises_(brief.synchronises),
      exchanged_(brief),
      candidates_(static_cast<std::int64_t>(brief.candidates.size())) {
  std::int64_t eligible = 0;
  int first = 0;
  for (int i = static_cast<int>(brief.candidates.size()) - 1; i >= 0; --i) {
    const Candidate& candidate = brief.candidates[static_cast<std::size_t>(i)];
    if (!candidate.eligible()) continue;
    ++eligible;
    first = i;
  }
  knows_earlier_ = may_be_told(brief);
  if (eligible < 2) {
    propose(first);
    return;
  }
  kept_ = std::max(1, brief.settings.iterations);
  // What is tried first depends on the brief, which is the same on all ranks. Times of earlier runs enter by functions
  // that may differ between processors: rank 0 then tells (`opening`).
  auto searcher = std::make_unique<Searcher>(brief, make);
  if (knows_earlier_) {
    begin({{first, 1, true}}, first);
  } else {
    begin(searcher->next(), first);
  }
  if (brief.is_first_rank) searcher_ = std::move(searcher);
}

std::span<double> Search::opening() {
  if (!knows_earlier_ || kept_ == 0) return {};
  numbers_.assign(numbers_of_plan, 0);
  if (searcher_) tell_next();
  return numbers_;
}

int Search::proposed_after(std::int64_t ahead) const {
  if (ahead < left_) return proposed();
  ahead -= left_;
  for (std::size_t i = step_ + 1; i < steps_.size(); ++i) {
    if (ahead < steps_[i].calls) return steps_[i].candidate;
    ahead -= steps_[i].calls;
  }
  return best_;
}

std::int64_t Search::calls_until_agreement() const {
  std::int64_t calls = left_;
  for (std::size_t i = step_ + 1; i < steps_.size(); ++i) calls += steps_[i].calls;
  return calls;
}

void Search::begin(std::vector<PlannedCalls> steps, int best) {
  steps_ = std::move(steps);
  best_ = best;
  std::size_t times = 0;
  for (const PlannedCalls& step : steps_) times += times_of(step);
  // Anew: resize would keep what the longest plan needed.
  seconds_ = std::vector<double>(times);
  if (varying_work_) works_ = std::vector<double>(times);
  step_ = first_ = 0;
  begin_step();
}

void Search::begin_step() {
  left_ = steps_[step_].calls;
  propose(steps_[step_].candidate);
}

std::span<const double> Search::end_step() {
  // Ranks that nothing keeps in step are late in turns: the slowest one's usual time is sought, and not that of
  // whichever was slowest in each call.
  const auto times = std::span(seconds_).subspan(first_, times_of(steps_[step_]));
  if (!varying_work_ && !synchronises_) std::sort(times.begin(), times.end());
  first_ += times.size();
  if (++step_ < steps_.size()) {
    begin_step();
    return {};
  }
  --step_;
  // The next plan comes back in as many numbers.
  exchanged_.contribute(numbers_, seconds_, works_, longest_since_meeting(), numbers_of_plan);
  return numbers_;
}

std::span<const double> Search::ruling(std::span<const double> reduced) {
  searcher_->take(steps_, exchanged_.calls(reduced));
  numbers_.assign(reduced.size(), 0);
  tell_next();
  return numbers_;
}

void Search::tell_next() {
  const std::vector<PlannedCalls> steps = searcher_->next();
  if (auto made = searcher_->take_decision()) decide(std::move(*made));
  numbers_[0] = static_cast<double>(steps.size());
  numbers_[1] = searcher_->best();
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const auto code = static_cast<double>((steps[i].calls * candidates_) + steps[i].candidate);
    numbers_[i + 2] = steps[i].is_trial ? -code : code;
  }
}

void Search::verdict(std::span<const double> agreed) {
  std::vector<PlannedCalls> steps(static_cast<std::size_t>(agreed[0]));
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const auto code = static_cast<std::int64_t>(std::abs(agreed[i + 2]));
    steps[i] = {static_cast<int>(code % candidates_), code / candidates_, agreed[i + 2] < 0};
  }
  begin(std::move(steps), static_cast<int>(agreed[1]));
  numbers_ = std::vector<double>();  // not needed until the next agreement
}

}  // namespace starling
