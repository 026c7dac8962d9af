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

/// A number for the host that this rank is on, by its name and, where hosts share a name, by when it was started. Not
/// by MPI_Comm_split_type, which takes longer than all else in MPI_Init where ranks share processors.
std::int64_t my_host() {
  std::array<char, MPI_MAX_PROCESSOR_NAME + 1> name{};
  int length = 0;
  pmpi.Get_processor_name(name.data(), &length);
  std::string boot;
  std::getline(std::ifstream("/proc/sys/kernel/random/boot_id"), boot);
  return number_of(std::string(name.data()).append(" ").append(boot));
}

}  // namespace

std::vector<int> told_by_ranks(int mine, int ranks) {
  std::vector<int> all(static_cast<std::size_t>(ranks));
  // Not MPI_Allgather: what a library chooses there may take a step for each rank.
  pmpi.Gather(&mine, 1, handles.int_, all.data(), 1, handles.int_, 0, state().world);
  pmpi.Bcast(all.data(), ranks, handles.int_, 0, state().world);
  return all;
}

std::vector<int> nodes_of_ranks(int ranks) {
  std::int64_t mine = my_host();
  std::vector<std::int64_t> hosts(static_cast<std::size_t>(ranks));
  pmpi.Gather(&mine, 1, handles.int64, hosts.data(), 1, handles.int64, 0, state().world);
  std::vector<int> nodes;
  std::unordered_map<std::int64_t, int> lowest;
  for (const std::int64_t host : hosts)
    nodes.push_back(lowest.try_emplace(host, static_cast<int>(nodes.size())).first->second);
  pmpi.Bcast(nodes.data(), ranks, handles.int_, 0, state().world);
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
