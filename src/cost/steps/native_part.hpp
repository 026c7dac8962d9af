#pragma once

#include <unordered_map>

#include "cost/prediction_work.hpp"
#include "cost/simulated_ranks.hpp"

namespace starling {

/// The time of native parts that have no stand-in (cost/stand_in.hpp): barriers.
template <>
class StepCost<SubCollective> {
 public:
  explicit StepCost(SimulatedRanks& ranks) : ranks_(ranks) {}

  /// A rank comes to a barrier of a group; with the last of its members it is over for all.
  void begin(int rank, const Step& step, double now);
  /// That of its stand-in.
  static void count(const SubCollective& step, PredictionWork& work);

 private:
  /// Ranks that have come to a barrier of a group.
  struct Gathering {
    int come = 0;
    double last = 0;
  };

  SimulatedRanks& ranks_;
  std::unordered_map<RankSet, Gathering, RankSet::Hash> gatherings_;
};

}  // namespace starling
