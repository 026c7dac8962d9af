#include "cost/simulated_ranks.hpp"

#include <algorithm>

#include "cost/steps/local_work.hpp"

namespace starling {

void SimulatedRanks::step_over(int rank, double now) {
  Rank& me = at(rank);
  const Program& mine = program(rank);
  me.free = std::max(me.free, now);
  for (++me.step; me.step < mine.steps.size() && mine.steps[me.step].is<LocalWork>(); ++me.step)
    me.free += StepCost<LocalWork>::seconds(mine, mine.steps[me.step], parameters_);
  foresee(me.free, What::begin_step, rank);
}

}  // namespace starling
