#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>

namespace starling {

/// The memory layout of a program's units: single bytes where data only moves, elements of the caller's datatype where
/// it is reduced (so that operators get the datatype they expect).
struct Unit {
  MPI_Datatype type;
  MPI_Aint extent;       ///< bytes from one element to the next
  MPI_Aint true_lb;      ///< first byte of an element's data, relative to its address
  MPI_Aint true_extent;  ///< bytes from there to the last of its data
  bool contiguous;       ///< elements follow each other without gaps, in the order of the type's signature

  static Unit bytes();
  static Unit of(MPI_Datatype type);

  /// The bytes that `count` elements span, and how far before the address of the first element they begin.
  struct Span {
    std::size_t bytes;
    std::ptrdiff_t before;
  };
  [[nodiscard]] Span span(std::int64_t count) const;
};

/// Whether elements of `type` lie in memory in the order of its signature, without gaps, so that they may be moved as
/// bytes. A local fact: a choice must not depend on it.
bool is_plain(MPI_Datatype type);

/// Bytes of data in one element (MPI_Type_size, for large types too).
std::int64_t type_size(MPI_Datatype type);

/// A count and a datatype for MPI functions with int counts. For a count that is too large it creates a datatype, freed
/// with this object.
class Typed {
 public:
  Typed(std::int64_t count, MPI_Datatype type);
  ~Typed();
  Typed(const Typed&) = delete;
  Typed& operator=(const Typed&) = delete;
  Typed(Typed&&) = delete;
  Typed& operator=(Typed&&) = delete;

  int count;
  MPI_Datatype type;

 private:
  bool made_ = false;
};

/// Copies `count` elements; bytes between elements stay as they are. Returns an MPI error code.
int copy_elements(const void* from, void* into, std::int64_t count, const Unit& unit);

/// Pack `count` elements of `type` at `data` into plain bytes, and unpack them. Return an MPI error code.
int pack(const void* data, std::int64_t count, MPI_Datatype type, char* bytes);
int unpack(const char* bytes, void* data, std::int64_t count, MPI_Datatype type);

}  // namespace starling
