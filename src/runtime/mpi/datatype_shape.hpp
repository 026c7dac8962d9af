#pragma once

#include <mpi.h>

#include <atomic>
#include <cstdint>

namespace starling {

/// What a datatype is in memory. Nothing of it changes while the type exists.
struct DatatypeShape {
  std::int64_t size = 0;     ///< bytes of data in an element
  MPI_Aint extent = 0;       ///< bytes from one element to the next
  MPI_Aint true_lb = 0;      ///< first byte of an element's data, relative to its address
  MPI_Aint true_extent = 0;  ///< bytes from there to the last of its data
  bool plain = false;        ///< elements lie in memory just as the type's signature lists them
  bool lasting = false;      ///< the handle means this type until types_gone() says another number
};

/// The shape of a datatype that MPI knows, committed or not. Kept with the type as an attribute of it, for MPI takes a
/// hundred nanoseconds and more to tell.
DatatypeShape shape_of(MPI_Datatype type);

/// Whether MPI knows `type` and has it committed.
bool is_committed(MPI_Datatype type);

/// Whether this thread looked at `type` lately and found it lasting. Asks MPI nothing, so it takes any handle, even one
/// that MPI does not know.
bool is_lasting(MPI_Datatype type);

namespace detail {
inline std::atomic<std::uint64_t> types_gone{1};
}

/// Goes up whenever a type goes whose shape was kept, before its handle can become another type's. What was found out
/// about lasting types holds as long as this stays the same.
inline std::uint64_t types_gone() {
  return detail::types_gone.load(std::memory_order_acquire);
}

}  // namespace starling
