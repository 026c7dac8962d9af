#pragma once

#include <span>
#include <vector>

#include "cost/measured_network.hpp"

namespace starling {

/// The ranks that take part in a probe of the network; the same on every rank.
struct ProbePlan {
  struct Pair {
    int one;  ///< the rank that leads
    int other;
  };
  std::vector<Pair> between_nodes;  ///< of ranks on two nodes, no node in two pairs; rank 0 leads the first
  std::vector<Pair> within_node;    ///< of ranks on one node; at most one

  /// `nodes[r]` is the lowest rank on the node of rank r.
  static ProbePlan of(std::span<const int> nodes);
};

/// Measures what messages cost between a few ranks, then between all of them at once, and local work on rank 0, in less
/// than a second and mostly in a tenth of one. Returns what was found on rank 0.
/// Called by all ranks of MPI_COMM_WORLD.
MeasuredNetwork probe(const ProbePlan& plan);

}  // namespace starling
