#include "algorithms/shared/switch_trees.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "algorithms/shared/pipeline.hpp"

namespace starling {
namespace {

/// The heights of the lowest trees over runs of a walk; positions, not ranks.
class LowestTrees {
 public:
  explicit LowestTrees(const Walk& walk) : walk_(&walk), ranks_(walk.order.size()), height_(ranks_ * ranks_, 0) {
    const auto all = static_cast<int>(ranks_);
    for (int first = all - 2; first >= 0; --first)
      for (int last = first + 1; last < all; ++last)
        height(first, last) = static_cast<std::int16_t>(best(first, last).first);
  }

  /// Where the second child of `first` in the tree over first, ..., last stands; nothing if it has only one.
  [[nodiscard]] std::optional<int> second_child(int first, int last) const { return best(first, last).second; }

 private:
  [[nodiscard]] std::int16_t& height(int first, int last) {
    return height_[(static_cast<std::size_t>(first) * ranks_) + static_cast<std::size_t>(last)];
  }
  [[nodiscard]] int height(int first, int last) const {
    return height_[(static_cast<std::size_t>(first) * ranks_) + static_cast<std::size_t>(last)];
  }

  /// The height of the tree over first, ..., last, more than one position, and where its second child stands.
  [[nodiscard]] std::pair<int, std::optional<int>> best(int first, int last) const {
    std::pair<int, std::optional<int>> found{1 + height(first + 1, last), std::nullopt};
    for (const int turn : walk_->turns[static_cast<std::size_t>(first)]) {
      if (turn > last) break;
      if (turn == first + 1) continue;
      const int low = 1 + std::max(height(first + 1, turn - 1), height(turn, last));
      if (low < found.first) found = {low, turn};
    }
    return found;
  }

  const Walk* walk_;
  std::size_t ranks_;
  std::vector<std::int16_t> height_;
};

}  // namespace

std::string switch_binary_refusal(const Situation& situation, const Parameters& with) {
  if (situation.ranks > most_ranks_of_switch_binary)
    return "the tree is not looked for beyond " + std::to_string(most_ranks_of_switch_binary) + " ranks";
  return segment_refusal(situation, with);
}

TreePlace switch_chain(const Team& team) {
  const Walk walk = walk_from(*team.tree, team.root);
  const auto mine = static_cast<std::size_t>(walk.position[static_cast<std::size_t>(team.rank)]);
  TreePlace place;
  if (mine > 0) place.parent = walk.order[mine - 1];
  if (mine + 1 < walk.order.size()) place.children.push_back(walk.order[mine + 1]);
  return place;
}

TreePlace switch_binary(const Team& team) {
  const Walk walk = walk_from(*team.tree, team.root);
  const LowestTrees trees(walk);
  const auto rank_at = [&](int position) { return walk.order[static_cast<std::size_t>(position)]; };
  const int mine = walk.position[static_cast<std::size_t>(team.rank)];
  TreePlace place;
  int first = 0;
  int last = team.size - 1;
  while (first != mine) {
    place.parent = rank_at(first);
    const std::optional<int> second = trees.second_child(first, last);
    if (second && mine >= *second) {
      first = *second;
    } else {
      if (second) last = *second - 1;
      ++first;
    }
  }
  if (first == last) return place;
  place.children.push_back(rank_at(first + 1));
  if (const auto second = trees.second_child(first, last)) place.children.push_back(rank_at(*second));
  return place;
}

}  // namespace starling
