#pragma once

#include <functional>
#include <span>
#include <vector>

#include "neighborhood/grid.hpp"

namespace starling::neighborhood {

/// What one rank has to do in a round: it sends at most one block and receives at most one. -1 stands for none.
struct Round {
  int to = -1;  ///< the rank that gets block number `send`
  int send = -1;
  int from = -1;  ///< the rank that fills block number `receive`
  int receive = -1;
  bool sends_first = false;  ///< where both are done one after the other
  bool operator==(const Round&) const = default;
};

/// What one rank exchanges with its neighbours. All ranks have equally many rounds, and as many in each stage; the two
/// ends of a link have it in the same round.
struct Rounds {
  std::vector<Round> all;
  /// Rounds before the end of each stage. A stage begins when what the stages before it bring has arrived.
  std::vector<int> stage_ends;
  int sends = 0;     ///< how many blocks a rank may send: their numbers are smaller
  int receives = 0;  ///< and receive
};

/// The rounds of `rank` on a grid: shifts by one rank in each direction. Block n is what lies in direction n (see
/// `directions`).
Rounds rounds_on(const Grid& grid, int rank, Corners corners);

/// A link along which a rank sends its block number `send` to another rank, where it becomes block number `receive`.
struct Link {
  int from;
  int send;
  int to;
  int receive;
  bool operator==(const Link&) const = default;
};

/// The rounds of `rank` on a graph. `links` are those of all ranks, in the same order on every rank; there may be
/// several between two ranks, and links of a rank to itself. There are as many rounds as the busiest rank has links in
/// one direction, by König's edge colouring of bipartite graphs; where every rank sends its block n in a round without
/// conflict, this is round n, so that a grid given as a graph has the rounds of the grid.
Rounds rounds_on(std::span<const Link> links, int ranks, int rank);

/// Whether `rank` sends before it receives in a round in which the ranks that have a link form paths and circles: every
/// second one along them does, so that blocking sends and receives neither wait in a circle nor in one long row.
/// `next` and `previous` give the neighbour of a rank along its path, or -1.
bool sends_first(int rank, const std::function<int(int)>& next, const std::function<int(int)>& previous);

}  // namespace starling::neighborhood
