#pragma once

#include "cost/parameters.hpp"
#include "cost/prediction_work.hpp"
#include "cost/simulated_ranks.hpp"
#include "schedule/program.hpp"

namespace starling {

/// The time of work that takes no other rank.
template <>
class StepCost<LocalWork> {
 public:
  explicit StepCost(SimulatedRanks& ranks) : ranks_(ranks) {}

  void begin(int rank, const Step& step, double now) {
    ranks_.at(rank).free += seconds(ranks_.program(rank), step, ranks_.parameters());
    ranks_.step_over(rank, now);
  }
  /// How long a rank works in a step.
  static double seconds(const Program& program, const Step& step, const CostParameters& parameters);

  static void count(const LocalWork& step, PredictionWork& work) {
    constexpr double of_a_local = 0.15;
    work.microseconds += of_a_local * static_cast<double>(step.all.size());
  }

 private:
  SimulatedRanks& ranks_;
};

}  // namespace starling
