#include "topology/nodes.hpp"

#include <algorithm>
#include <unordered_map>

namespace starling {

std::vector<int> nodes_by_hosts(std::span<const std::int64_t> hosts) {
  std::vector<int> nodes;
  std::unordered_map<std::int64_t, int> lowest;
  for (const std::int64_t host : hosts)
    nodes.push_back(lowest.try_emplace(host, static_cast<int>(nodes.size())).first->second);
  return nodes;
}

Spread spread_over(std::vector<int> nodes) {
  std::sort(nodes.begin(), nodes.end());
  Spread spread;
  for (auto one = nodes.begin(); one != nodes.end();) {
    const auto next = std::upper_bound(one, nodes.end(), *one);
    ++spread.nodes;
    spread.ranks_per_node = std::max(spread.ranks_per_node, static_cast<int>(next - one));
    one = next;
  }
  return spread;
}

}  // namespace starling
