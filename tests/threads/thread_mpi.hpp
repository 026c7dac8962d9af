#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>

namespace starling {

/// What stands for an MPI library where ranks are threads of one process, so that the thread sanitizer sees all of
/// them: the few functions that programs without native parts call, for messages of 64-bit numbers. A send is over at
/// once; receives from one rank end in the order in which they were posted.
class ThreadMpi {
 public:
  static constexpr std::size_t number_bytes = sizeof(std::uint64_t);

  /// Fills `pmpi` and `handles`. There are at most so many ranks.
  static void stand_in(int most_ranks);
  /// The calling thread is that rank from now on.
  static void be(int rank);

  /// An operator that is not commutative: numbers as functions x -> a x + b modulo 2^32, `a` in the upper half.
  static MPI_Op composition();
  static std::uint64_t compose(std::uint64_t left, std::uint64_t right) {
    const auto low = [](std::uint64_t number) { return number & 0xffffffffU; };
    const std::uint64_t factor = left >> 32U;
    return (low(factor * (right >> 32U)) << 32U) | low(factor * low(right) + low(left));
  }
};

}  // namespace starling
