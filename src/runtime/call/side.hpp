#pragma once

#include <mpi.h>

#include <cstdint>

#include "runtime/call/call.hpp"

namespace starling {

/// The send or receive side of a call: the application's buffer as a sequence of blocks. Block i is `count(i)` elements
/// of `type(i)` at `address(i)`.
class Side {
 public:
  /// `blocks` consecutive blocks of `count` elements each.
  static Side even(void* buffer, int blocks, std::int64_t count, MPI_Datatype type);
  /// Blocks of different counts anywhere in the buffer, displacements in elements.
  static Side uneven(void* buffer, int blocks, Counts counts, Displacements displacements, MPI_Datatype type);
  /// The same with a datatype for each block and displacements in bytes (alltoallw).
  static Side mixed(void* buffer, int blocks, Counts counts, Displacements displacements, const MPI_Datatype* types);

  /// The source and the target of the data on rank `rank` of `ranks`, in a collective that moves data. It has no blocks
  /// where the buffer is not significant on this rank.
  static Side source(const Call& call, int ranks, int rank);
  static Side target(const Call& call, int ranks, int rank);

  [[nodiscard]] int blocks() const { return blocks_; }
  /// Bytes of data in a block.
  [[nodiscard]] std::int64_t bytes(int block) const;
  /// Whether every block's data is plain bytes (see starling::is_plain), so that it can be used where it is.
  [[nodiscard]] bool is_plain() const;
  /// Whether blocks of plain bytes follow each other without gaps.
  [[nodiscard]] bool is_dense() const;
  /// Bytes from the start of the buffer to a block.
  [[nodiscard]] std::int64_t offset(int block) const;
  [[nodiscard]] char* base() const { return base_; }
  /// A side that has only block `block`.
  [[nodiscard]] Side only(int block) const;

  /// Pack all blocks into consecutive plain bytes, and unpack them. Return an MPI error code.
  int pack_into(char* bytes) const;
  int unpack_from(const char* bytes) const;

 private:
  [[nodiscard]] bool is_even() const { return counts_.values == nullptr; }
  [[nodiscard]] std::int64_t count(int block) const { return is_even() ? count_ : counts_[block]; }
  [[nodiscard]] MPI_Datatype type(int block) const { return types_ == nullptr ? type_ : types_[block]; }
  [[nodiscard]] char* address(int block) const { return base_ + offset(block); }

  char* base_ = nullptr;
  int blocks_ = 0;
  std::int64_t count_ = 0;  ///< of each block, where blocks are even
  Counts counts_{};
  Displacements displacements_{};
  MPI_Datatype type_{};
  std::int64_t size_ = 0;  ///< of one element of type_, in bytes of data
  MPI_Aint extent_ = 1;    ///< of type_; 1 where displacements count bytes
  const MPI_Datatype* types_ = nullptr;
};

}  // namespace starling
