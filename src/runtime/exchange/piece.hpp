#pragma once

#include <mpi.h>

#include <cstdint>

#include "runtime/exchange/lines.hpp"
#include "runtime/mpi/datatype_shape.hpp"

namespace starling::neighborhood {

/// A block of an exchange in memory: `count` elements of `type`, `offset` bytes from the start of the rank's buffer.
struct Piece {
  MPI_Aint offset = 0;
  std::int64_t count = 0;
  MPI_Datatype type{};
  std::int64_t bytes = 0;  ///< of data
  Lines lines{};           ///< how to copy it without the MPI library, where that is known
  MPI_Aint lines_at = 0;   ///< bytes from the start of the buffer to the first line

  /// Whether its data lies in one line, so that packing would change nothing.
  [[nodiscard]] bool is_one_line() const { return lines.is_one(); }
};

/// `count` elements of a datatype.
Piece piece_of(MPI_Aint offset, std::int64_t count, MPI_Datatype type);
/// The same for a datatype whose shape is known.
Piece piece_of(MPI_Aint offset, std::int64_t count, MPI_Datatype type, const DatatypeShape& shape);

/// Copy a block to plain bytes, and back. Return an MPI error code.
int pack_piece(const char* base, const Piece& piece, char* bytes);
int unpack_piece(const char* bytes, const Piece& piece, char* base);

}  // namespace starling::neighborhood
