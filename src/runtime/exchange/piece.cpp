#include "runtime/exchange/piece.hpp"

#include "runtime/mpi/unit.hpp"

namespace starling::neighborhood {

Piece piece_of(MPI_Aint offset, std::int64_t count, MPI_Datatype type) {
  return piece_of(offset, count, type, shape_of(type));
}

Piece piece_of(MPI_Aint offset, std::int64_t count, MPI_Datatype type, const DatatypeShape& shape) {
  Piece piece{.offset = offset, .count = count, .type = type, .bytes = count * shape.size, .lines_at = offset};
  if (shape.plain) piece.lines.bytes = piece.bytes;
  return piece;
}

int pack_piece(const char* base, const Piece& piece, char* bytes) {
  if (!piece.lines.known()) return pack(base + piece.offset, piece.count, piece.type, bytes);
  gather_lines(base + piece.lines_at, piece.lines, bytes);
  return MPI_SUCCESS;
}

int unpack_piece(const char* bytes, const Piece& piece, char* base) {
  if (!piece.lines.known()) return unpack(bytes, base + piece.offset, piece.count, piece.type);
  scatter_lines(bytes, piece.lines, base + piece.lines_at);
  return MPI_SUCCESS;
}

}  // namespace starling::neighborhood
