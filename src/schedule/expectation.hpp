#pragma once

#include <vector>

#include "schedule/collective.hpp"

namespace starling {

/// Block `block`, combined over the ranks first, ..., last - 1; data that nobody combines comes from one rank. Where
/// first == last nothing is known: nothing is there at the start, anything may be there at the end.
struct Content {
  int block = 0;
  int first = 0;
  int last = 0;
  [[nodiscard]] constexpr bool known() const { return first < last; }
  bool operator==(const Content&) const = default;
};

/// What the caller's buffers of one rank hold: the convention of docs/schedules.md that algorithms, checker and
/// executor share. A buffer that the collective does not use on that rank has no slots.
struct Expectation {
  std::vector<Content> send;         ///< at the start, and untouched for ever
  std::vector<Content> recv_before;  ///< at the start
  std::vector<Content> recv_after;   ///< at the end
  /// For each slot a name of its size: the number of the block of the call that is as large. Slots of one name are
  /// equally large; nothing is known of others. In alltoallv and alltoallw the block from rank i to rank j is number i
  /// * ranks + j.
  std::vector<int> send_sizes;
  std::vector<int> recv_sizes;
  int parts = 1;  ///< of each rank's block, where collectives divide those
};

/// What rank `rank` of `ranks` has and must get. `blocks` is the number of blocks the vector is divided into where the
/// collective divides one, a multiple of `ranks` where it divides_blocks(), else equal to `ranks`. `root` counts only
/// for rooted collectives.
Expectation expectation(Collective collective, int ranks, int blocks, int rank, int root);

/// Whether the standard lets all ranks alike give one buffer for both, so that `send` may lie inside `recv`.
constexpr bool has_in_place(Collective collective) {
  switch (collective) {
    case Collective::allgather:
    case Collective::allgatherv:
    case Collective::allreduce:
    case Collective::alltoall:
    case Collective::exscan:
    case Collective::reduce_scatter:
    case Collective::reduce_scatter_block:
    case Collective::scan: return true;
    default: return false;
  }
}

/// Whether the blocks of all ranks are equally large, whatever the caller says.
constexpr bool has_uniform_blocks(Collective collective) {
  switch (collective) {
    case Collective::allgather:
    case Collective::alltoall:
    case Collective::gather:
    case Collective::reduce_scatter_block:
    case Collective::scatter: return true;
    default: return false;
  }
}

}  // namespace starling
