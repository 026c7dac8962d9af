#pragma once

#include <array>
#include <optional>

#include "neighborhood/rounds.hpp"
#include "runtime/call/call.hpp"
#include "runtime/call/degrees.hpp"
#include "runtime/execution/channel.hpp"

namespace starling {

/// Which ranks exchange which blocks in the neighbourhood collectives of one communicator.
///
/// Ranks ask the MPI library itself, by a call with numbers in place of data. For where two ranks have several links,
/// libraries differ in which block meets which: on a grid with one or two ranks in a periodic dimension, MPI 4.1
/// (section 8.6) wants what is sent backward to arrive from the front, which MPICH 4.0 does in MPI_Neighbor_alltoall
/// only. A program gets from Starling what it would get without.
class Neighbours {
 public:
  /// The rounds of this rank for calls like `call`; null on all ranks if the library can't tell. Collective at the
  /// first call of its kind.
  const neighborhood::Rounds* rounds(const Call& call, int rank, int ranks, Channel& channel);

 private:
  /// Collectives in which libraries may match blocks alike.
  enum Kind : std::size_t { even, uneven, mixed, kinds };
  std::array<std::optional<neighborhood::Rounds>, kinds> rounds_;
};

}  // namespace starling
