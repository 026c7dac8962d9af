#include "topology/switch_tree.hpp"

#include <algorithm>
#include <functional>
#include <stdexcept>
#include <utility>

namespace starling {
namespace {

/// Whether going up from every switch ends at one that has no parent, the same for all.
bool is_tree(const std::vector<int>& parents) {
  const auto switches = static_cast<int>(parents.size());
  if (std::count(parents.begin(), parents.end(), -1) != 1) return false;
  for (int start = 0; start < switches; ++start) {
    int steps = 0;
    for (int now = start; now != -1; now = parents[static_cast<std::size_t>(now)])
      if (now < 0 || now >= switches || ++steps > switches) return false;
  }
  return true;
}

}  // namespace

SwitchTree::SwitchTree(std::vector<int> parents, std::vector<int> switches)
    : parents_(std::move(parents)),
      switches_(std::move(switches)),
      neighbours_(parents_.size()),
      ranks_of_(parents_.size()) {
  if (!is_tree(parents_)) throw std::invalid_argument("the switches are no tree");
  for (int one = 0; one < this->switches(); ++one) {
    if (parent(one) < 0) continue;
    neighbours_[static_cast<std::size_t>(one)].push_back(parent(one));
    neighbours_[static_cast<std::size_t>(parent(one))].push_back(one);
  }
  for (auto& some : neighbours_) std::sort(some.begin(), some.end());
  for (int rank = 0; rank < ranks(); ++rank) {
    if (switch_of(rank) < 0 || switch_of(rank) >= this->switches())
      throw std::invalid_argument("rank " + std::to_string(rank) + " hangs off no switch");
    ranks_of_[static_cast<std::size_t>(switch_of(rank))].push_back(rank);
  }
}

std::vector<int> SwitchTree::ranks_behind(int from, int into) const {
  std::vector<int> found;
  std::vector<std::pair<int, int>> todo{{from, into}};
  while (!todo.empty()) {
    const auto [before, now] = todo.back();
    todo.pop_back();
    found.insert(found.end(), ranks_of(now).begin(), ranks_of(now).end());
    for (auto next = neighbours(now).rbegin(); next != neighbours(now).rend(); ++next)
      if (*next != before) todo.emplace_back(now, *next);
  }
  return found;
}

Walk walk_from(const SwitchTree& tree, int start) {
  Walk walk;
  walk.order.reserve(static_cast<std::size_t>(tree.ranks()));
  walk.position.resize(static_cast<std::size_t>(tree.ranks()));
  walk.turns.resize(static_cast<std::size_t>(tree.ranks()));
  const auto reached = [&] { return static_cast<int>(walk.order.size()); };

  const std::function<void(int, int)> visit = [&](int before, int now) {
    std::vector<int> own;     // positions of this switch's own ranks
    std::vector<int> begins;  // of its branches
    const auto take = [&](int rank) {
      begins.push_back(reached());
      own.push_back(reached());
      walk.position[static_cast<std::size_t>(rank)] = reached();
      walk.order.push_back(rank);
    };
    if (before < 0) take(start);
    for (const int rank : tree.ranks_of(now))
      if (rank != start) take(rank);
    for (const int next : tree.neighbours(now)) {
      if (next == before) continue;
      const int begin = reached();
      visit(now, next);
      if (reached() > begin) begins.push_back(begin);
    }
    begins.push_back(reached());
    for (const int position : own)
      std::copy_if(begins.begin(), begins.end(), std::back_inserter(walk.turns[static_cast<std::size_t>(position)]),
                   [&](int turn) { return turn > position && turn < tree.ranks(); });
  };
  visit(-1, tree.switch_of(start));
  return walk;
}

}  // namespace starling
