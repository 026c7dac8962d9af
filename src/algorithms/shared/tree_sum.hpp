#pragma once

#include <cstdint>
#include <vector>

#include "algorithms/algorithm.hpp"
#include "algorithms/shared/trees.hpp"

namespace starling {

/// What one rank does to combine vectors up a tree, block by block. Children are served one after the other, the
/// nearest rank first, so that one vector of scratch is enough, and operands are combined in the order of ranks where
/// the tree allows it: where subtrees are runs of ranks beside the parent.
class TreeSum {
 public:
  /// The sum of the rank's subtree comes into `sum`, which is only used where the rank has children or is the root.
  TreeSum(Schedule& todo, const Team& team, const TreePlace& place, Buffer sum);

  /// Receives `block` from every child, the first in `round`, the others in rounds after it, and combines.
  void receive(Schedule& todo, Round& round, int block) const;
  /// Sends the sum of `block` to the parent.
  void send(Round& round, int block) const;

 private:
  int parent_;
  std::vector<int> above_;  ///< children of higher rank, the nearest first
  std::vector<int> below_;  ///< those of lower rank
  Buffer sum_;
  Buffer other_;
};

/// Combines vectors up a tree to the root's recv: a rank receives block i + 1 while it passes on block i.
Schedule pipelined_up(const Team& team, const TreePlace& place);

/// Blocks of scratch that pipelined_up uses at most, with a parameter `segment`.
std::int64_t scratch_of_pipelined_up(const Situation& situation, const Parameters& with);

}  // namespace starling
