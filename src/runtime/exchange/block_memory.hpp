#pragma once

#include <mpi.h>

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "neighborhood/rounds.hpp"
#include "runtime/exchange/piece.hpp"

namespace starling::neighborhood {

/// Where the blocks of one rank's exchange are in memory. The buffer to send from and the one to receive into may be
/// the same: then no block to send may overlap one to receive in the same stage.
class BlockMemory {
 public:
  BlockMemory() = default;
  ~BlockMemory() = default;
  BlockMemory(const BlockMemory&) = delete;
  BlockMemory& operator=(const BlockMemory&) = delete;
  BlockMemory(BlockMemory&&) = delete;
  BlockMemory& operator=(BlockMemory&&) = delete;

  char* send_base = nullptr;
  char* receive_base = nullptr;
  MPI_Aint send_bytes = 0;  ///< of the whole buffers, for windows
  MPI_Aint receive_bytes = 0;
  std::vector<Piece> sends;  ///< by number of the block
  std::vector<Piece> receives;
  /// For one-sided transfers, by round, blocks in the buffers of other ranks: where `Round::to` wants what this rank
  /// sends, and where `Round::from` has what this rank receives. Empty where that is not known.
  std::vector<Piece> wanted_there;
  std::vector<Piece> sent_from_there;

  /// Makes room for the packed bytes of all blocks. False if there is no memory. Cheap while blocks do not grow.
  [[nodiscard]] bool reserve_packed();
  [[nodiscard]] char* packed_send(int block) const { return packed_.get() + packed_sends_[index(block)]; }
  [[nodiscard]] char* packed_receive(int block) const { return packed_.get() + packed_receives_[index(block)]; }
  /// Makes room for a copy of any block of this rank to itself.
  [[nodiscard]] bool reserve_copy(const Rounds& rounds, int rank);
  [[nodiscard]] char* copied() const { return copied_.get(); }
  /// Frees what was reserved.
  void release();

 private:
  static std::size_t index(int number) { return static_cast<std::size_t>(number); }

  std::unique_ptr<char[]> packed_;
  std::size_t packed_size_ = 0;
  std::vector<std::size_t> packed_sends_;  ///< offsets in packed_
  std::vector<std::size_t> packed_receives_;
  std::unique_ptr<char[]> copied_;
  std::size_t copied_size_ = 0;
};

}  // namespace starling::neighborhood
