#pragma once

#include <map>
#include <utility>
#include <vector>

#include "topology/switch_tree.hpp"

namespace starling {

/// How many messages use each directed link of a tree.
class LinkUse {
 public:
  /// From one vertex to another: switches count from 0, rank r is the vertex behind all switches.
  using Link = std::pair<int, int>;

  explicit LinkUse(const SwitchTree& tree) : tree_(&tree) {}

  /// The links that a message goes over.
  [[nodiscard]] std::vector<Link> way(int from, int to) const {
    std::vector<int> up = way_up(from);
    std::vector<int> down = way_up(to);
    while (up.size() > 1 && down.size() > 1 && up[up.size() - 2] == down[down.size() - 2]) {
      up.pop_back();
      down.pop_back();
    }
    std::vector<Link> links;
    for (std::size_t i = 0; i + 1 < up.size(); ++i) links.emplace_back(up[i], up[i + 1]);
    for (std::size_t i = 0; i + 1 < down.size(); ++i) links.emplace_back(down[i + 1], down[i]);
    return links;
  }

  void message(int from, int to) {
    for (const Link& link : way(from, to)) ++use_[link];
  }

  [[nodiscard]] int most() const {
    int most = 0;
    for (const auto& [link, messages] : use_) most = std::max(most, messages);
    return most;
  }

 private:
  /// The vertices from a rank to the root of the tree.
  [[nodiscard]] std::vector<int> way_up(int rank) const {
    std::vector<int> way{tree_->switches() + rank};
    for (int now = tree_->switch_of(rank); now >= 0; now = tree_->parent(now)) way.push_back(now);
    return way;
  }

  const SwitchTree* tree_;
  std::map<Link, int> use_;
};

}  // namespace starling
