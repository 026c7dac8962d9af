#pragma once

#include <map>
#include <utility>
#include <vector>

#include "topology/switch_tree.hpp"

namespace starling {

/// How many messages use each directed link of a tree. A link is a pair of vertices: switches count from 0, rank r is
/// the vertex behind all switches.
class LinkUse {
 public:
  explicit LinkUse(const SwitchTree& tree) : tree_(&tree) {}

  void message(int from, int to) {
    std::vector<int> up = way_up(from);
    std::vector<int> down = way_up(to);
    while (up.size() > 1 && down.size() > 1 && up[up.size() - 2] == down[down.size() - 2]) {
      up.pop_back();
      down.pop_back();
    }
    for (std::size_t i = 0; i + 1 < up.size(); ++i) ++use_[{up[i], up[i + 1]}];
    for (std::size_t i = 0; i + 1 < down.size(); ++i) ++use_[{down[i + 1], down[i]}];
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
  std::map<std::pair<int, int>, int> use_;
};

}  // namespace starling
