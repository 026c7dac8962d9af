// alltoall:phased: messages are put into as few phases as the fullest link of the network allows, so that no two
// messages of a phase use a link in the same direction; in some phases a rank sends, receives, or does nothing.
//
//      [s0]-----[s1]         phase 1   0 -> 2   2 -> 1        phase 3   1 -> 2   3 -> 1
//      /  \     /  \         phase 2   0 -> 3   2 -> 0        phase 4   1 -> 3   3 -> 0
//     0    1   2    3        and 0 <-> 1, 2 <-> 3 in phases where that way is free

#include <string>

#include "algorithms/algorithm.hpp"
#include "topology/phases.hpp"

namespace starling::alltoall {
namespace {

Schedule build(const Team& team, const Parameters& /*none*/) {
  Schedule todo(team.blocks);
  todo.copy(sendbuf(team.rank), recvbuf(team.rank));
  for (const Phase& phase : contention_free_phases(*team.tree, team.rank)) {
    // A phase without a message of this rank's is a round all the same: ranks count phases by barriers.
    Round& round = todo.round();
    if (phase.from >= 0) round.receive(recvbuf(phase.from), phase.from);
    if (phase.to >= 0) round.send(sendbuf(phase.to), phase.to);
  }
  return todo;
}

/// A schedule has a round for every phase: beyond this it would be larger than what it sends.
constexpr std::int64_t most_phases = 65536;

std::string refuses(const Situation& situation, const Parameters& /*none*/) {
  const std::int64_t phases = contention_free_phase_count(*situation.tree);
  if (phases <= most_phases) return {};
  return "needs " + std::to_string(phases) + " phases, more than " + std::to_string(most_phases);
}

}  // namespace

Algorithm phased() {
  return {
      .collectives = {Collective::alltoall, Collective::alltoallv, Collective::alltoallw},
      .name = "phased",
      .says = "exchanges in phases in which no two messages meet on a link",
      .source = "Faraj and Yuan 2005; STAR-MPI, section 3.1",
      .group = "phased",
      .needs = {.switches = true},
      .synchronisations = {Synchronisation::light_barrier, Synchronisation::mpi_barrier},
      .latency = "T alpha with T phases: the messages on the fullest link",
      .bandwidth = "T s beta",
      .works_in_place = false,
      .refuses = refuses,
      .build = build,
  };
}

}  // namespace starling::alltoall
