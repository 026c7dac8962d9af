#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "schedule/rank_set.hpp"
#include "topology/nodes.hpp"

namespace starling {

/// Where the ranks of a communicator run, as every one of them knows it. Nodes are numbered from 0 in the order of
/// their lowest ranks. A node may consist of several domains: NUMA nodes or sockets, within which memory is nearer.
class Places {
 public:
  /// `nodes[r]` is the node of rank r, by any number that ranks of one node have in common (nodes_by_hosts).
  /// `domains[r]` is its domain there; without `domains` each node is one.
  explicit Places(std::span<const int> nodes, std::span<const int> domains = {});

  [[nodiscard]] int ranks() const { return static_cast<int>(node_of_.size()); }
  [[nodiscard]] int nodes() const { return static_cast<int>(starts_.size()) - 1; }
  [[nodiscard]] int node_of(int rank) const { return node_of_[static_cast<std::size_t>(rank)]; }
  /// The node of each rank.
  [[nodiscard]] std::span<const int> node_of_each() const { return node_of_; }
  /// How many ranks below `rank` are on its node.
  [[nodiscard]] int position(int rank) const { return position_[static_cast<std::size_t>(rank)]; }
  /// The ranks on a node, by number.
  [[nodiscard]] RankSet on_node(int node) const { return RankSet::of(listed(node)); }
  /// How many these are.
  [[nodiscard]] int ranks_on(int node) const { return static_cast<int>(listed(node).size()); }
  /// Whether all nodes have equally many ranks.
  [[nodiscard]] bool are_even() const;
  /// The lowest rank on a node.
  [[nodiscard]] int leader(int node) const { return listed(node).front(); }
  /// The lowest rank on each node, by node.
  [[nodiscard]] RankSet leaders() const;
  [[nodiscard]] Spread spread() const;
  /// Whether some node has ranks in several domains.
  [[nodiscard]] bool has_domains() const { return !by_domain_.empty(); }
  /// The same ranks with domains in place of nodes; this where each node is one domain.
  [[nodiscard]] const Places& by_domain() const { return has_domains() ? by_domain_.front() : *this; }
  /// The ranks of a node, each by its position there, and their domains. Null on several nodes of one domain each.
  [[nodiscard]] const Places* inside(int node) const {
    if (nodes() == 1) return this;
    return has_domains() ? &inside_[static_cast<std::size_t>(node)] : nullptr;
  }
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
  std::vector<Places> by_domain_;    ///< one, or none
  std::vector<Places> inside_;       ///< each of several nodes, or none
};

}  // namespace starling
