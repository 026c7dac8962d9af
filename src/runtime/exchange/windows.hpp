#pragma once

#include <mpi.h>

#include "runtime/exchange/block_memory.hpp"

namespace starling::neighborhood {

/// The windows of one rank's block memory, which the one-sided implementations of an exchange share.
class Windows {
 public:
  Windows() = default;
  ~Windows() { release(); }
  Windows(const Windows&) = delete;
  Windows& operator=(const Windows&) = delete;
  Windows(Windows&&) = delete;
  Windows& operator=(Windows&&) = delete;

  /// Makes the window for puts (of the buffer to receive into) or gets (of the one to send from) if it is not there;
  /// one serves both where all ranks exchange within one buffer, `one_buffer`. `comm` is one that returns errors.
  /// Collective. Returns an MPI error code.
  int make(MPI_Comm comm, const BlockMemory& memory, bool for_gets, bool one_buffer);
  [[nodiscard]] MPI_Win of(bool for_gets) const { return for_gets && has_gets_ ? gets_ : puts_; }
  /// Frees them. Collective where there are any.
  void release();

 private:
  MPI_Win puts_{};
  MPI_Win gets_{};
  bool has_puts_ = false;
  bool has_gets_ = false;
};

}  // namespace starling::neighborhood
