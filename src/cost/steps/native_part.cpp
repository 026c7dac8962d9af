#include "cost/steps/native_part.hpp"

#include <algorithm>
#include <utility>

namespace starling {

void NativePartCost::begin(const NativePart& barrier, double now) {
  const RankSet& group = barrier.group;
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

}  // namespace starling
