#include "topology/places.hpp"

#include <algorithm>
#include <unordered_map>

namespace starling {

Places::Places(std::span<const int> nodes) : by_node_(nodes.size()) {
  node_of_.reserve(nodes.size());
  position_.reserve(nodes.size());
  std::unordered_map<int, int> numbers;
  std::vector<std::size_t> sizes;
  for (const int name : nodes) {
    const auto node = static_cast<std::size_t>(numbers.try_emplace(name, static_cast<int>(sizes.size())).first->second);
    if (node == sizes.size()) sizes.push_back(0);
    node_of_.push_back(static_cast<int>(node));
    position_.push_back(static_cast<int>(sizes[node]++));
  }
  starts_.push_back(0);
  for (const std::size_t size : sizes) starts_.push_back(starts_.back() + size);
  for (int rank = 0; rank < ranks(); ++rank)
    by_node_[starts_[static_cast<std::size_t>(node_of(rank))] + static_cast<std::size_t>(position(rank))] = rank;
}

RankSet Places::leaders() const {
  std::vector<int> leaders;
  for (int node = 0; node < nodes(); ++node) leaders.push_back(leader(node));
  return RankSet::of(leaders);
}

Spread Places::spread() const {
  Spread spread{nodes(), 0};
  for (const int place : position_) spread.ranks_per_node = std::max(spread.ranks_per_node, place + 1);
  return spread;
}

}  // namespace starling
