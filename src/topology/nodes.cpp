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
  std::map<std::pair<int, std::int64_t>, std::int64_t> of_same;   // ranks of a node with the same processors
  std::map<std::pair<int, std::int64_t>, std::int64_t> of_group;  // with the same quota
  for (std::size_t rank = 0; rank < nodes.size(); ++rank) {
    ++of_same[{nodes[rank], shares[rank].which}];
    ++of_group[{nodes[rank], shares[rank].group}];
  }
  std::vector<int> sharing;
  for (std::size_t rank = 0; rank < nodes.size(); ++rank) {
    const ProcessorShare& mine = shares[rank];
    const bool by_group = mine.group != 0 && of_group[{nodes[rank], mine.group}] > mine.quota;
    sharing.push_back(by_group || of_same[{nodes[rank], mine.which}] > mine.count ? 1 : 0);
  }
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
