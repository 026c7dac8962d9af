#include "algorithms/shared/node_memory.hpp"

#include "shared_memory/rings.hpp"

namespace starling {

std::string node_memory_refusal(const Situation& situation, const Parameters& /*with*/) {
  const Places& places = *situation.places;
  for (int node = 0; node < places.nodes(); ++node)
    if (places.on_node(node).size() > SharedRings::most_members)
      return "has more than " + std::to_string(SharedRings::most_members) + " ranks on a node";
  if (situation.large_elements)
    return "needs elements of at most " + std::to_string(SharedRings::chunk_bytes) + " bytes";
  return {};
}

bool are_large_elements(std::int64_t bytes) {
  return bytes > static_cast<std::int64_t>(SharedRings::chunk_bytes);
}

std::vector<int> all_others(const Team& team) {
  std::vector<int> ranks;
  for (int step = 1; step < team.size; ++step) ranks.push_back(team.right(step));
  return ranks;
}

}  // namespace starling
