#pragma once

#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

#include "selection/strategy.hpp"

namespace starling::testing {

/// Candidates of one group each, all eligible.
inline Brief grouped(std::initializer_list<std::pair<const char*, std::vector<const char*>>> groups) {
  Brief brief;
  for (const auto& [group, names] : groups) {
    for (const char* name : names) {
      Candidate candidate;
      candidate.name = name;
      candidate.group = group;
      brief.candidates.push_back(candidate);
    }
  }
  return brief;
}

/// STAR-MPI's repository, named and grouped as in sections 3.1 and 3.3 of the paper. It has no native candidate.
namespace paper {

/// 13 algorithms in 6 groups; the 4 of group 2 are for blocks of at most 256 bytes.
inline Brief alltoall(int bytes) {
  Brief brief = grouped({{"simple", {"simple"}},
                         {"logarithmic", {"recursive_doubling", "mesh2d", "mesh3d", "bruck"}},
                         {"plain", {"ring", "pair"}},
                         {"light_barrier", {"ring_light_barrier", "pair_light_barrier"}},
                         {"mpi_barrier", {"ring_mpi_barrier", "pair_mpi_barrier"}},
                         {"phased", {"phased_light_barrier", "phased_mpi_barrier"}}});
  for (Candidate& candidate : brief.candidates)
    if (candidate.group == "logarithmic" && bytes > 256) candidate.refusal = "only tried up to 256 bytes";
  return brief;
}

/// 12 algorithms in 6 groups.
inline Brief allgather() {
  return grouped({{"simple", {"simple"}},
                  {"logarithmic", {"recursive_doubling", "mesh2d", "mesh3d", "bruck"}},
                  {"plain", {"pairwise", "pair"}},
                  {"light_barrier", {"pairwise_light_barrier", "pair_light_barrier"}},
                  {"mpi_barrier", {"pairwise_mpi_barrier", "pair_mpi_barrier"}},
                  {"switch_ring", {"switch_ring"}}});
}

/// 20 algorithms in 3 groups, the three types of section 3.1.
inline Brief allreduce() {
  return grouped(
      {{"gather_reduce", {"gather-bruck", "gather-2d", "gather-3d", "gather-rdb", "gather-ring"}},
       {"rab1",
        {"rab1-simple", "rab1-2d", "rab1-3d", "rab1-rdb", "rab1-bruck", "rab1-ring", "rab1-ring-light", "rab1-ring-mpi",
         "rab1-tslr"}},
       {"rab2",
        {"rab2-ring-tslr", "rab2-light-tslr", "rab2-mpi-tslr", "rab2-ring-ring", "rab2-light-light", "rab2-mpi-mpi"}}});
}

}  // namespace paper

/// The same with the MPI library's own way before them, alone in its group: as the runtime has it.
inline Brief with_native(Brief brief) {
  Candidate native;
  native.name = "native";
  native.group = "native";
  brief.candidates.insert(brief.candidates.begin(), native);
  return brief;
}

/// The place of the candidate of that name.
inline int place_of(const Brief& brief, const std::string& name) {
  for (std::size_t i = 0; i < brief.candidates.size(); ++i)
    if (brief.candidates[i].name == name) return static_cast<int>(i);
  throw std::out_of_range("no candidate " + name);
}

}  // namespace starling::testing
