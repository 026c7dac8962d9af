#include "topology/nodes.hpp"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

namespace starling {

std::vector<int> nodes_by_hosts(std::span<const std::int64_t> hosts) {
  std::vector<int> nodes;
  std::unordered_map<std::int64_t, int> lowest;
  for (const std::int64_t host : hosts)
    nodes.push_back(lowest.try_emplace(host, static_cast<int>(nodes.size())).first->second);
  return nodes;
}

std::vector<int> domains_as_told(std::span<const int> nodes, std::span<const int> told) {
  std::unordered_set<int> unknown;  // nodes
  for (std::size_t rank = 0; rank < nodes.size(); ++rank)
    if (told[rank] < 0) unknown.insert(nodes[rank]);
  std::vector<int> domains(told.begin(), told.end());
  for (std::size_t rank = 0; rank < nodes.size(); ++rank)
    if (unknown.contains(nodes[rank])) domains[rank] = 0;
  return domains;
}

std::vector<int> domains_in_blocks(std::span<const int> nodes, std::span<const int> counts) {
  std::unordered_map<int, std::int64_t> ranks;
  for (const int node : nodes) ++ranks[node];
  std::unordered_map<int, std::int64_t> before;
  std::vector<int> domains;
  for (std::size_t rank = 0; rank < nodes.size(); ++rank)
    domains.push_back(static_cast<int>(before[nodes[rank]]++ * std::max(counts[rank], 1) / ranks[nodes[rank]]));
  return domains;
}

}  // namespace starling
