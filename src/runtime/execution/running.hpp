#pragma once

#include <mpi.h>

#include <array>
#include <cstddef>
#include <span>

#include "runtime/mpi/unit.hpp"
#include "schedule/program.hpp"

namespace starling {

class SharedRings;

/// Where a program's buffers are: addresses of unit 0, indexed as Buffer. Not set to anything at first: that would cost
/// as much as a step.
struct Buffers {
  static constexpr std::size_t most = static_cast<std::size_t>(Buffer::scratch) + most_scratch_buffers;
  std::array<char*, most> base;
  [[nodiscard]] char*& at(Buffer buffer) { return base[static_cast<std::size_t>(buffer)]; }
  [[nodiscard]] char* at(Buffer buffer) const { return base[static_cast<std::size_t>(buffer)]; }
  [[nodiscard]] char* at(const Extent& extent, MPI_Aint unit) const {
    return base[static_cast<std::size_t>(extent.buffer)] + (extent.first * unit);
  }
};

/// What the messages of one operation travel on.
struct Transport {
  MPI_Comm comm;
  const int* peers;  ///< ranks of `comm`, by the ranks that programs name
  int tag;
  MPI_Request* requests;  ///< room for Plan::most_requests
  SharedRings* rings;     ///< for sharings; null where the program has none
};

/// A program on the buffers of one call: everything its steps need to know.
struct Running {
  const Program& program;
  const Buffers& buffers;
  const Unit& unit;
  MPI_Op op;
  const Transport& transport;
  std::span<const MPI_Comm> natives;  ///< the communicators of the program's native parts

  [[nodiscard]] char* at(const Extent& extent) const { return buffers.at(extent, unit.extent); }
};

/// Carries out the steps of a kind: a specialisation in src/runtime/execution/steps for each (HasExecutor).
template <class Kind>
class StepExecutor;

}  // namespace starling
