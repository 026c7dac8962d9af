// alltoall:phased: messages are put into as few phases as the fullest link of the network allows, so that no two
// messages of a phase use a link in the same direction; in some phases a rank sends, receives, or does nothing.
//
//      [s0]-----[s1]         phase 1   0 -> 1   1 -> 3   3 -> 2   2 -> 0        phase 3   0 -> 2   2 -> 1
//      /  \     /  \         phase 2   1 -> 2   2 -> 3   3 -> 0                 phase 4   0 -> 3   3 -> 1   1 -> 0
//     0    1   2    3
//
// The light barrier is words from the receiver of a message to who sends over one of its links next: 0, say, has got
// 2's message of phase 1, and tells 3 before phase 2 that the link from s1 to s0 is free.

#include <string>

#include "algorithms/algorithm.hpp"
#include "topology/phase_order.hpp"
#include "topology/phases.hpp"

namespace starling::alltoall {
namespace {

void exchange(Round& round, const Phase& phase) {
  if (phase.from >= 0) round.receive(recvbuf(phase.from), phase.from);
  if (phase.to >= 0) round.send(sendbuf(phase.to), phase.to);
}

Schedule build(const Team& team, const Parameters& /*none*/) {
  Schedule todo(team.blocks());
  todo.copy(sendbuf(team.rank), recvbuf(team.rank));
  // A phase without a message of this rank's is a round all the same: ranks count phases by barriers.
  for (const Phase& phase : contention_free_phases(*team.tree, team.rank)) exchange(todo.round(), phase);
  return todo;
}

Schedule build_light_barrier(const Team& team, const Parameters& /*none*/) {
  Schedule todo(team.blocks());
  todo.copy(sendbuf(team.rank), recvbuf(team.rank));
  for (const OrderedPhase& phase : ordered_phases(*team.tree, team.rank)) {
    Round& words = todo.round();
    for (const int peer : phase.hears) words.receive(nothing(), peer);
    for (const int peer : phase.tells) words.send(nothing(), peer);
    // Words of its own keep nothing back.
    exchange(phase.hears.empty() ? words : todo.round(), phase.messages);
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
      .source = "Faraj and Yuan 2005, phases and the messages of nothing between them; STAR-MPI, section 3.1",
      .group = "phased",
      .needs = {.switches = true},
      .synchronisations = {Synchronisation::light_barrier, Synchronisation::mpi_barrier},
      .latency = "T alpha with T phases: the messages on the fullest link",
      .bandwidth = "T s beta",
      .works_in_place = false,
      .refuses = refuses,
      .build = build,
      .build_light_barrier = build_light_barrier,
  };
}

}  // namespace starling::alltoall
