#pragma once

#include <unordered_map>

#include "cost/simulated_ranks.hpp"

namespace starling {

/// The time of native parts that have no stand-in (cost/stand_in.hpp): barriers.
class NativePartCost {
 public:
  explicit NativePartCost(SimulatedRanks& ranks) : ranks_(ranks) {}

  /// A rank comes to a barrier of a group; with the last of its members it is over for all.
  void begin(const NativePart& barrier, double now);

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
