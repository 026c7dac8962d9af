#pragma once

#include <mpi.h>

#include <atomic>
#include <cstdint>

namespace starling {

/// The memory layout of a datatype. It does not change while the datatype exists.
struct DatatypeShape {
  std::int64_t size = 0;     ///< bytes of data in an element
  MPI_Aint extent = 0;       ///< bytes from one element to the next
  MPI_Aint true_lb = 0;      ///< first byte of an element's data, relative to its address
  MPI_Aint true_extent = 0;  ///< bytes from there to the last of its data
  bool plain = false;        ///< elements lie in memory in the order of the type's signature, without gaps
  bool cacheable = false;    ///< the handle means this type as long as types_freed() stays the same
};

/// The shape of a valid datatype, committed or not. Kept as an attribute of the datatype, because MPI takes a hundred
/// nanoseconds and more to report it.
DatatypeShape shape_of(MPI_Datatype type);

/// Whether `type` is valid and committed.
bool is_committed(MPI_Datatype type);

/// Whether this thread has a valid cached shape of `type`. Does not call MPI, so it accepts any handle, even an invalid
/// one.
bool is_cached(MPI_Datatype type);

/// Stands around the call of the MPI library that frees a datatype of the application. Until it ends this thread keeps
/// nothing of further datatypes: a delete function of the program may use the one that is being freed, and MPI would
/// not delete an attribute that it is given then.
class FreeingType {
 public:
  FreeingType();
  ~FreeingType();
  FreeingType(const FreeingType&) = delete;
  FreeingType& operator=(const FreeingType&) = delete;
  FreeingType(FreeingType&&) = delete;
  FreeingType& operator=(FreeingType&&) = delete;
};

namespace detail {
inline std::atomic<std::uint64_t> types_freed{1};
}

/// Goes up whenever a datatype whose shape was kept is freed, before MPI can reuse its handle. What is cached about
/// cacheable datatypes is valid as long as this stays the same.
inline std::uint64_t types_freed() {
  return detail::types_freed.load(std::memory_order_acquire);
}

}  // namespace starling
