#pragma once

#include <vector>

namespace starling {

/// The switches of a network and the ranks that hang off them: a tree whose leaves are the ranks of a communicator.
/// Links are full duplex and equally fast. A machine with several ranks counts as a switch.
class SwitchTree {
 public:
  /// `parents[s]` is the switch that switch s hangs off, -1 for exactly one of them; `switches[r]` the one that rank r
  /// hangs off. Throws std::invalid_argument where that is no tree.
  SwitchTree(std::vector<int> parents, std::vector<int> switches);

  [[nodiscard]] int ranks() const { return static_cast<int>(switches_.size()); }
  [[nodiscard]] int switches() const { return static_cast<int>(parents_.size()); }
  [[nodiscard]] int parent(int which) const { return parents_[static_cast<std::size_t>(which)]; }
  [[nodiscard]] int switch_of(int rank) const { return switches_[static_cast<std::size_t>(rank)]; }
  /// The switches that switch `which` has links to, by number.
  [[nodiscard]] const std::vector<int>& neighbours(int which) const {
    return neighbours_[static_cast<std::size_t>(which)];
  }
  /// The ranks that hang off switch `which` itself, by number.
  [[nodiscard]] const std::vector<int>& ranks_of(int which) const { return ranks_of_[static_cast<std::size_t>(which)]; }

  /// The ranks on the far side of the link from switch `from` to its neighbour `into`, in the order of a depth-first
  /// walk.
  [[nodiscard]] std::vector<int> ranks_behind(int from, int into) const;

  bool operator==(const SwitchTree& other) const { return parents_ == other.parents_ && switches_ == other.switches_; }

 private:
  std::vector<int> parents_;
  std::vector<int> switches_;
  std::vector<std::vector<int>> neighbours_;
  std::vector<std::vector<int>> ranks_of_;
};

/// All ranks in the order of a depth-first walk through the tree from one of them, and what a builder asks of it.
struct Walk {
  std::vector<int> order;     ///< ranks, the start first
  std::vector<int> position;  ///< of a rank in `order`
  /// Positions at which a branch begins at the switch of the rank at a position, later than that position, and the one
  /// behind everything below that switch; in rising order, without the end of the walk.
  std::vector<std::vector<int>> turns;
};

/// The walk from `start`: a ring in this order uses every directed link at most once a step (Faraj, Patarasuk and Yuan
/// 2007).
Walk walk_from(const SwitchTree& tree, int start);

}  // namespace starling
