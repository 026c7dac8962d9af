#pragma once

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <map>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "algorithms/candidate.hpp"
#include "selection/strategy.hpp"
#include "topology/switch_tree.hpp"

namespace starling::testing {

/// Candidates of one group each, all eligible.
inline Brief grouped(std::initializer_list<std::pair<const char*, std::vector<const char*>>> groups) {
  Brief brief;
  for (const auto& [group, names] : groups) {
    for (const char* name : names) {
      Candidate candidate;
      candidate.name = name;
      candidate.group = group;
      brief.candidates.own().push_back(candidate);
    }
  }
  return brief;
}

/// STAR-MPI's repository: our candidates that are on the paper's lists (section 3.1), in our groups. It has no native
/// candidate. The network is the paper's topology (a): 16 hosts on one switch.
namespace paper {

/// The lists, by the repository's names. A name without parameters stands for all their values.
inline const std::map<Collective, std::vector<std::string>>& lists() {
  static const std::map<Collective, std::vector<std::string>> all{
      {Collective::alltoall,
       {"simple", "mesh2d", "mesh3d", "recursive_doubling", "bruck?k=2", "ring", "ring_light_barrier",
        "ring_mpi_barrier", "pair", "pair_light_barrier", "pair_mpi_barrier", "phased_light_barrier",
        "phased_mpi_barrier"}},
      {Collective::allgather,
       {"simple", "mesh2d", "mesh3d", "recursive_doubling", "bruck?k=2", "pairwise", "pairwise_light_barrier",
        "pairwise_mpi_barrier", "pair", "pair_light_barrier", "pair_mpi_barrier", "switch_ring"}},
      {Collective::allreduce,
       {"gather_reduce?allgather=bruck", "gather_reduce?allgather=mesh2d", "gather_reduce?allgather=mesh3d",
        "gather_reduce?allgather=recursive_doubling", "gather_reduce?allgather=pairwise", "rab1?allgather=simple",
        "rab1?allgather=mesh2d", "rab1?allgather=mesh3d", "rab1?allgather=recursive_doubling", "rab1?allgather=bruck",
        "rab1?allgather=pairwise", "rab1?allgather=pairwise_light_barrier", "rab1?allgather=pairwise_mpi_barrier",
        "rab1?allgather=switch_ring", "rab2"}},
  };
  return all;
}

/// The candidates of a collective's list for blocks, or a vector, of that size; as published, without a run-off.
inline Brief of(Collective collective, std::int64_t bytes) {
  constexpr int ranks = 16;
  static const SwitchTree one_switch({-1}, std::vector<int>(ranks, 0));
  const Situation situation{collective, ranks, bytes, bytes, true, false, &one_switch};
  Brief brief;
  brief.settings.run_off = false;
  const std::vector<std::string>& list = lists().at(collective);
  for (const Bound& bound : candidates(collective)) {
    const auto is_it = [&](const std::string& name) { return name == bound.name() || name == bound.algorithm_name(); };
    if (std::none_of(list.begin(), list.end(), is_it)) continue;
    Candidate& one = brief.candidates.own().emplace_back();
    one.name = bound.name();
    one.group = bound.group();
    one.refusal = bound.refusal(situation);
    if (const std::int64_t most = bound.algorithm->probe_up_to; most > 0 && bytes > most)
      one.refusal = "only tried up to " + std::to_string(most) + " bytes";
  }
  return brief;
}

/// 13 algorithms in 6 groups; the 4 of group 2 are for blocks of at most 256 bytes.
inline Brief alltoall(std::int64_t bytes) {
  return of(Collective::alltoall, bytes);
}

/// 12 algorithms in 6 groups.
inline Brief allgather() {
  return of(Collective::allgather, 2048);
}

/// 20 algorithms in 3 groups, the three types of section 3.1.
inline Brief allreduce() {
  return of(Collective::allreduce, 2048);
}

}  // namespace paper

/// The same with native before them, alone in its group, as in the runtime.
inline Brief with_native(Brief brief) {
  Candidate native;
  native.name = "native";
  native.group = "native";
  std::vector<Candidate>& all = brief.candidates.own();
  all.insert(all.begin(), native);
  return brief;
}

/// The index of the candidate of that name.
inline int place_of(const Brief& brief, const std::string& name) {
  for (std::size_t i = 0; i < brief.candidates.size(); ++i)
    if (brief.candidates[i].name == name) return static_cast<int>(i);
  throw std::out_of_range("no candidate " + name);
}

}  // namespace starling::testing
