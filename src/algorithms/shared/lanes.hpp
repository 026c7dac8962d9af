#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "schedule/placement.hpp"
#include "topology/places.hpp"

namespace starling {

/// How many lanes of ranks there are between nodes: as many as the smallest node has ranks.
int lanes_of(const Places& places);

/// Where a part on a node has a block for each of its `ranks` ranks: the first ones, one for each lane, have blocks
/// `starts[lane]` to `starts[lane + 1]`, counted from `first`, the others none.
Origin for_lanes(Origin first, std::vector<int> starts, int ranks);

/// All ranks in lanes between the nodes. Rank number i of a node is in lane i modulo their number. The first ranks of a
/// node, one of each lane, stand for it there, and hand on what is for the others.
class Lanes {
 public:
  explicit Lanes(const Places& places);

  [[nodiscard]] int count() const { return count_; }
  /// All ranks, lane after lane, and node after node in each.
  [[nodiscard]] const std::vector<int>& order() const { return order_; }
  /// Where a lane starts in it, and its ranks on a node.
  [[nodiscard]] int start(int lane, int node = 0) const {
    return starts_[(static_cast<std::size_t>(lane) * static_cast<std::size_t>(nodes_)) +
                   static_cast<std::size_t>(node)];
  }
  /// The ranks of a lane, and those on a node.
  [[nodiscard]] std::span<const int> of(int lane) const { return between(start(lane), start(lane + 1)); }
  [[nodiscard]] std::span<const int> of(int lane, int node) const {
    return between(start(lane, node), start(lane, node + 1));
  }
  /// How many ranks a lane has at most, and on one node.
  [[nodiscard]] int most() const { return start(1); }
  [[nodiscard]] int most_on_a_node() const;

  /// Where a part on a node of `ranks` ranks has a block for each of them: the ranks of its lane, in `order` from
  /// `first` on, for one that stands for a lane.
  [[nodiscard]] Origin by_lane(Origin first, int ranks) const;
  /// Where a part between nodes has a block for each of them: the lane's ranks there, in `order` from `first` on.
  [[nodiscard]] Origin by_node(Origin first, int lane) const;

 private:
  [[nodiscard]] std::span<const int> between(int first, int end) const {
    return std::span(order_).subspan(static_cast<std::size_t>(first), static_cast<std::size_t>(end - first));
  }

  int nodes_;
  int count_;
  std::vector<int> order_;
  std::vector<int> starts_;  ///< of each lane on each node, and the end
};

}  // namespace starling
