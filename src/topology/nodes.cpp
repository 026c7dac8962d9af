#include "topology/nodes.hpp"

#include <algorithm>
#include <map>
#include <unordered_map>
#include <unordered_set>
#include <utility>

namespace starling {

std::vector<int> nodes_by_hosts(std::span<const std::int64_t> hosts) {
  std::vector<int> nodes;
  std::unordered_map<std::int64_t, int> lowest;
  for (const std::int64_t host : hosts)
    nodes.push_back(lowest.try_emplace(host, static_cast<int>(nodes.size())).first->second);
  return nodes;
}

std::vector<int> sharing_processors(std::span<const int> nodes, std::span<const ProcessorShare> shares) {
  std::map<std::pair<int, std::int64_t>, std::int64_t> ranks;  // of a node and its processors
  for (std::size_t rank = 0; rank < nodes.size(); ++rank) ++ranks[{nodes[rank], shares[rank].which}];
  std::unordered_set<int> crowded;  // nodes
  for (std::size_t rank = 0; rank < nodes.size(); ++rank)
    if (ranks[{nodes[rank], shares[rank].which}] > shares[rank].count) crowded.insert(nodes[rank]);
  std::vector<int> sharing;
  for (const int node : nodes) sharing.push_back(crowded.contains(node) ? 1 : 0);
  return sharing;
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
