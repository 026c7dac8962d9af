#include "topology/places.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <map>
#include <unordered_map>
#include <utility>

#include "messages/fingerprint.hpp"

namespace starling {
namespace {

/// A number for each domain of each node, by rank; empty where each node is one domain.
std::vector<int> numbered_domains(const std::vector<int>& nodes, std::span<const int> domains) {
  if (domains.empty()) return {};
  std::map<std::pair<int, int>, int> numbers;
  std::vector<int> found;
  int last_node = -1;
  for (std::size_t rank = 0; rank < nodes.size(); ++rank) {
    found.push_back(numbers.try_emplace({nodes[rank], domains[rank]}, static_cast<int>(numbers.size())).first->second);
    last_node = std::max(last_node, nodes[rank]);
  }
  if (std::ssize(numbers) == last_node + 1) found.clear();
  return found;
}

}  // namespace

Places::Places(std::span<const int> nodes, std::span<const int> domains) : by_node_(nodes.size()) {
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
  const std::vector<int> domain_of = numbered_domains(node_of_, domains);
  if (domain_of.empty()) return;
  by_domain_.emplace_back(domain_of);
  for (int node = 0; this->nodes() > 1 && node < this->nodes(); ++node) {
    std::vector<int> of_node;
    for (const int rank : listed(node)) of_node.push_back(domain_of[static_cast<std::size_t>(rank)]);
    inside_.emplace_back(std::vector<int>(of_node.size()), of_node);
  }
}

RankSet Places::leaders() const {
  std::vector<int> leaders;
  for (int node = 0; node < nodes(); ++node) leaders.push_back(leader(node));
  return RankSet::of(leaders);
}

bool Places::are_even() const {
  for (int node = 1; node < nodes(); ++node)
    if (ranks_on(node) != ranks_on(0)) return false;
  return true;
}

Spread Places::spread() const {
  Spread spread{nodes(), 0, 0};
  for (const int place : position_) spread.ranks_per_node = std::max(spread.ranks_per_node, place + 1);
  bool is_plain = !has_domains();
  Fingerprint all;
  for (int rank = 0; rank < ranks(); ++rank) {
    is_plain = is_plain && (node_of(rank) * spread.ranks_per_node) + position(rank) == rank;
    for (const int part : {node_of(rank), by_domain().node_of(rank)}) all.add(static_cast<std::uint64_t>(part));
  }
  const std::uint64_t digest = all.value();
  constexpr std::uint64_t most = std::numeric_limits<int>::max();
  if (!is_plain) spread.layout = static_cast<int>(1 + (((digest >> 32U) ^ digest) % most));
  return spread;
}

}  // namespace starling
