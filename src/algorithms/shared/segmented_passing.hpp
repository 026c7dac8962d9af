#pragma once

#include "algorithms/algorithm.hpp"

namespace starling {

/// An allgather around a ring, `rank_at(i)` being the i-th rank on it from this one on, where the parts of a block
/// travel side by side.
template <class RankAt>
Schedule pass_segments_around(const Team& team, const RankAt& rank_at) {
  const int parts = team.parts();
  Schedule todo(team.blocks());
  todo.copy(sendbuf(0, parts), recvbuf(team.part_of(team.rank, 0), parts));
  for (int step = 1; step < team.size; ++step) {
    Round& round = todo.round();
    for (int part = 0; part < parts; ++part) round.receive(recvbuf(team.part_of(rank_at(-step), part)), rank_at(-1));
    for (int part = 0; part < parts; ++part) round.send(recvbuf(team.part_of(rank_at(1 - step), part)), rank_at(1));
  }
  return todo;
}

}  // namespace starling
