#include "runtime/nodes.hpp"

#include <algorithm>

#include "runtime/pmpi.hpp"
#include "runtime/state.hpp"

namespace starling {

std::vector<int> told_by_ranks(int mine, int ranks) {
  std::vector<int> all(static_cast<std::size_t>(ranks));
  // Not MPI_Allgather: what a library chooses there may take a step for each rank.
  pmpi.Gather(&mine, 1, handles.int_, all.data(), 1, handles.int_, 0, state().world);
  pmpi.Bcast(all.data(), ranks, handles.int_, 0, state().world);
  return all;
}

std::vector<int> nodes_of_ranks(int ranks) {
  MPI_Comm node{};
  int lowest = -1;  // of a rank whom MPI does not tell
  if (pmpi.Comm_split_type(state().world, MPI_COMM_TYPE_SHARED, 0, handles.info_null, &node) == MPI_SUCCESS) {
    pmpi.Comm_rank(state().world, &lowest);
    pmpi.Bcast(&lowest, 1, handles.int_, 0, node);
    pmpi.Comm_free(&node);
  }
  std::vector<int> all = told_by_ranks(lowest, ranks);
  if (std::find(all.begin(), all.end(), -1) != all.end()) all.clear();
  return all;
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
