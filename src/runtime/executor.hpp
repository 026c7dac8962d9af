#pragma once

#include <mpi.h>

#include <array>
#include <cstddef>
#include <span>

#include "runtime/unit.hpp"
#include "schedule/program.hpp"

namespace starling {

/// Where a program's buffers are: addresses of unit 0, indexed as Buffer. Not set to anything at first: that would cost
/// as much as a step.
struct Buffers {
  static constexpr std::size_t most = static_cast<std::size_t>(Buffer::scratch) + most_scratch_buffers;
  std::array<char*, most> base;
  [[nodiscard]] char* at(const Extent& extent, MPI_Aint unit) const {
    return base[static_cast<std::size_t>(extent.buffer)] + (extent.first * unit);
  }
};

/// Carries out a program: the general executor of blocking collectives. `work` is the private communicator that
/// messages travel on, `natives[i]` the communicator of the program's i-th native part, `requests` has room for
/// most_messages. Returns an MPI error code.
int execute(const Program& program, const Buffers& buffers, const Unit& unit, MPI_Op op, MPI_Comm work,
            std::span<const MPI_Comm> natives, MPI_Request* requests);

}  // namespace starling
