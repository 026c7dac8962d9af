// alltoall:linear_window: as simple, but only so many messages at a time: a window, then the next one.
//
//   window = 2   rank 0              rank 1              rank 2        ...   of 6 ranks
//   step 1       -> 1, 2; 5, 4 ->    -> 2, 3; 0, 5 ->    -> 3, 4; 1, 0 ->
//   step 2       -> 3, 4; 3, 2 ->    -> 4, 5; 4, 3 ->    -> 5, 0; 5, 4 ->
//   step 3       -> 5; 1 ->          -> 0; 2 ->          -> 1; 3 ->

#include <algorithm>

#include "algorithms/algorithm.hpp"

namespace starling::alltoall {
namespace {

Schedule build(const Team& team, const Parameters& with) {
  const auto window = static_cast<int>(with.number("window"));
  Schedule todo(team.blocks());
  todo.copy(sendbuf(team.rank), recvbuf(team.rank));
  for (int first = 1; first < team.size; first += window) {
    const int end = std::min(first + window, team.size);
    Round& round = todo.round();
    for (int step = first; step < end; ++step) round.receive(recvbuf(team.left(step)), team.left(step));
    for (int step = first; step < end; ++step) round.send(sendbuf(team.right(step)), team.right(step));
  }
  return todo;
}

std::string refuses(const Situation& situation, const Parameters& with) {
  return with.number("window") < situation.ranks - 1 ? "" : "would post all messages at once, as simple does";
}

}  // namespace

Algorithm linear_window() {
  return {
      .collectives = {Collective::alltoall, Collective::alltoallv, Collective::alltoallw},
      .name = "linear_window",
      .says = "posts a window of messages at a time",
      .source = "Kielmann et al. 1999; Pjesivac-Grbovic et al. 2007 (linear with synchronisation)",
      .group = "window",
      .parameters = {{"window", {"2", "4", "8", "16", "32"}, "messages that a rank sends at once"}},
      .counterparts = {{.ompi = "linear_sync", .mpich = "scattered"}},
      .latency = "(p-1) alpha, so many at once",
      .bandwidth = "(p-1) s beta",
      .works_in_place = false,
      .refuses = refuses,
      .build = build,
  };
}

}  // namespace starling::alltoall
