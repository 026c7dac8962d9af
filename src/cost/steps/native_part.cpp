#include "cost/steps/native_part.hpp"

#include <algorithm>
#include <utility>

#include "cost/stand_in.hpp"

namespace starling {

void StepCost<SubCollective>::begin(int rank, const Step& step, double now) {
  const RankSet& group = ranks_.program(rank).natives[static_cast<std::size_t>(step.first)].group;
  Gathering& here = gatherings_[group];
  here.last = std::max(here.last, now);
  if (++here.come < group.size()) return;
  // A dissemination (Hensgen, Finkel and Manber 1988): so many rounds of a message each way.
  int rounds = 0;
  for (int reached = 1; reached < group.size(); reached *= 2) ++rounds;
  double farthest = 0;
  for (int i = 1; i < group.size(); ++i) farthest = std::max(farthest, ranks_.latency(group.rank(0), group.rank(i)));
  const double over = std::exchange(here, {}).last + (rounds * ((2 * ranks_.parameters().overhead) + farthest));
  for (int i = 0; i < group.size(); ++i) ranks_.step_over(group.rank(i), over);
}

void StepCost<SubCollective>::count(const SubCollective& step, PredictionWork& work) {
  if (step.collective == Collective::barrier) return;
  const int members = step.group.size();
  const std::int64_t bytes =
      bytes_of_part(step.collective, members, step.from.count * work.block, step.into.count * work.block);
  const Situation situation{step.collective, members, bytes, bytes};
  work.microseconds +=
      prediction_work(stand_in(step.collective, members, bytes), situation, step.group.index_of(work.rank), step.root);
}

}  // namespace starling
