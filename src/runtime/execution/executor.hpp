#pragma once

#include <mpi.h>

#include <array>
#include <cstddef>
#include <span>

#include "runtime/mpi/unit.hpp"
#include "schedule/program.hpp"

namespace starling {

/// The addresses of a program's buffers, at unit 0, indexed by Buffer. Not initialised: that would cost as much as a
/// step.
struct Buffers {
  static constexpr std::size_t most = static_cast<std::size_t>(Buffer::scratch) + most_scratch_buffers;
  std::array<char*, most> base;
  [[nodiscard]] char* at(const Extent& extent, MPI_Aint unit) const {
    return base[static_cast<std::size_t>(extent.buffer)] + (extent.first * unit);
  }
};

/// The communicator, tag and requests for the messages of one operation.
struct Transport {
  MPI_Comm comm;
  const int* peers;  ///< ranks of `comm`, by the ranks in the program
  int tag;
  MPI_Request* requests;  ///< room for most_messages
};

/// Carries out a program: the general executor of blocking collectives. `natives[i]` is the communicator of the
/// program's i-th native part. Returns an MPI error code, of the first error. After an error the rest is still carried
/// out, because other ranks wait for it. No request is left pending.
int execute(const Program& program, const Buffers& buffers, const Unit& unit, MPI_Op op, const Transport& transport,
            std::span<const MPI_Comm> natives);

}  // namespace starling
