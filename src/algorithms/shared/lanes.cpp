#include "algorithms/shared/lanes.hpp"

#include <algorithm>
#include <utility>

namespace starling {

int lanes_of(const Places& places) {
  int least = places.ranks_on(0);
  for (int node = 1; node < places.nodes(); ++node) least = std::min(least, places.ranks_on(node));
  return least;
}

Origin for_lanes(Origin first, std::vector<int> starts, int ranks) {
  const int lanes = static_cast<int>(starts.size()) - 1;
  const int end = starts.back();
  if (lanes == ranks && end == lanes * starts[1]) {
    first.scale = starts[1];
    return first;
  }
  first.starts = std::move(starts);
  first.starts.resize(static_cast<std::size_t>(ranks) + 1, end);
  return first;
}

Lanes::Lanes(const Places& places) : nodes_(places.nodes()), count_(lanes_of(places)) {
  std::vector<RankSet> nodes;
  for (int node = 0; node < nodes_; ++node) nodes.push_back(places.on_node(node));
  for (int lane = 0; lane < count_; ++lane)
    for (const RankSet& node : nodes) {
      starts_.push_back(static_cast<int>(order_.size()));
      for (int place = lane; place < node.size(); place += count_) order_.push_back(node.rank(place));
    }
  starts_.push_back(static_cast<int>(order_.size()));
}

int Lanes::most_on_a_node() const {
  std::size_t most = 0;
  for (int node = 0; node < nodes_; ++node) most = std::max(most, of(0, node).size());
  return static_cast<int>(most);
}

Origin Lanes::by_lane(Origin first, int ranks) const {
  std::vector<int> starts;
  for (int lane = 0; lane <= count_; ++lane) starts.push_back(start(lane));
  return for_lanes(std::move(first), std::move(starts), ranks);
}

Origin Lanes::by_node(Origin first, int lane) const {
  if (of(lane).size() == static_cast<std::size_t>(nodes_)) return first;
  for (int node = 0; node <= nodes_; ++node) first.starts.push_back(start(lane, node) - start(lane));
  return first;
}

}  // namespace starling
