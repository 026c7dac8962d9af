#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "schedule/rank_set.hpp"
#include "topology/nodes.hpp"

namespace starling {

/// Where the ranks of a communicator run, as every one of them knows it. Nodes are numbered from 0 in the order of
/// their lowest ranks.
class Places {
 public:
  /// `nodes[r]` is the node of rank r, by any number that ranks of one node have in common (nodes_by_hosts).
  explicit Places(std::span<const int> nodes);

  [[nodiscard]] int ranks() const { return static_cast<int>(node_of_.size()); }
  [[nodiscard]] int nodes() const { return static_cast<int>(starts_.size()) - 1; }
  [[nodiscard]] int node_of(int rank) const { return node_of_[static_cast<std::size_t>(rank)]; }
  /// The node of each rank.
  [[nodiscard]] std::span<const int> node_of_each() const { return node_of_; }
  /// How many ranks below `rank` are on its node.
  [[nodiscard]] int position(int rank) const { return position_[static_cast<std::size_t>(rank)]; }
  /// The ranks on a node, by number.
  [[nodiscard]] RankSet on_node(int node) const { return RankSet::of(listed(node)); }
  /// The lowest rank on a node.
  [[nodiscard]] int leader(int node) const { return listed(node).front(); }
  /// The lowest rank on each node, by node.
  [[nodiscard]] RankSet leaders() const;
  [[nodiscard]] Spread spread() const;
  bool operator==(const Places&) const = default;

 private:
  [[nodiscard]] std::span<const int> listed(int node) const {
    const auto first = starts_[static_cast<std::size_t>(node)];
    return std::span(by_node_).subspan(first, starts_[static_cast<std::size_t>(node) + 1] - first);
  }

  std::vector<int> node_of_;
  std::vector<int> position_;
  std::vector<int> by_node_;         ///< ranks, node after node
  std::vector<std::size_t> starts_;  ///< of each node in `by_node_`, and its end
};

}  // namespace starling
