#include "runtime/nodes.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <fstream>
#include <string>
#include <string_view>
#include <unordered_map>

#include "runtime/pmpi.hpp"
#include "runtime/state.hpp"

namespace starling {
namespace {

/// A number for a text, by FNV-1a.
std::int64_t number_of(std::string_view text) {
  std::uint64_t hash = 0xcbf29ce484222325U;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3U;
  return static_cast<std::int64_t>(hash);
}

}  // namespace

std::int64_t number_of_host() {
  std::array<char, MPI_MAX_PROCESSOR_NAME + 1> name{};
  int length = 0;
  pmpi.Get_processor_name(name.data(), &length);
  std::string boot;
  std::getline(std::ifstream("/proc/sys/kernel/random/boot_id"), boot);
  return number_of(std::string(name.data()).append(" ").append(boot));
}

std::vector<int> told_by_ranks(int mine, int ranks) {
  std::vector<int> all(static_cast<std::size_t>(ranks));
  // Not MPI_Allgather: what a library chooses there may take a step for each rank.
  pmpi.Gather(&mine, 1, handles.int_, all.data(), 1, handles.int_, 0, state().world);
  pmpi.Bcast(all.data(), ranks, handles.int_, 0, state().world);
  return all;
}

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
