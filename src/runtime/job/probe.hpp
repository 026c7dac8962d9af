#pragma once

#include <span>
#include <vector>

#include "cost/measured_network.hpp"
#include "tuning/consensus.hpp"

namespace starling {

/// The ranks of MPI_COMM_WORLD that take part in a probe of the network; the same on every one of them.
struct ProbePlan {
  struct Pair {
    int one;  ///< the rank that leads
    int other;
  };
  std::vector<int> ranks;           ///< all that take part
  std::vector<Pair> between_nodes;  ///< of ranks on two nodes, no node in two pairs; the first rank leads the first
  std::vector<Pair> within_node;    ///< of ranks on one node; at most one
  [[nodiscard]] int first() const { return ranks.front(); }

  /// For `ranks`; `nodes[r]` is the lowest rank of MPI_COMM_WORLD on the node of rank r.
  static ProbePlan of(std::vector<int> ranks, std::span<const int> nodes);
};

/// Measures what messages cost between a few ranks, then between all of them at once, and local work on the first rank,
/// mostly in a twentieth of a second. Returns what was found on the first rank.
/// Called by all ranks of the plan, between which `consensus` is.
MeasuredNetwork probe(const ProbePlan& plan, Consensus& consensus);

}  // namespace starling
