#include "topology/nodes.hpp"

#include <unordered_map>

namespace starling {

std::vector<int> nodes_by_hosts(std::span<const std::int64_t> hosts) {
  std::vector<int> nodes;
  std::unordered_map<std::int64_t, int> lowest;
  for (const std::int64_t host : hosts)
    nodes.push_back(lowest.try_emplace(host, static_cast<int>(nodes.size())).first->second);
  return nodes;
}

}  // namespace starling
