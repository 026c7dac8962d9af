#pragma once

#include <mpi.h>

#include <cstdint>
#include <vector>

#include "runtime/exchange/block_memory.hpp"

namespace starling::neighborhood {

/// Bytes from the beginning of a buffer's window to the buffer. MPICH 4.0 rounds the address of a window down to a
/// multiple of 16, and puts and gets are off by the rest: so windows begin at such an address.
MPI_Aint into_window(const void* buffer);

/// MPICH 4 takes the address of an earlier window that a new one begins in for the new one's, and what is put or got is
/// off by the difference. MPICH 5 does not.
bool library_mixes_windows_up();

/// The memory of a window, by addresses.
struct WindowRange {
  std::uintptr_t begin, end;
  bool operator==(const WindowRange&) const = default;
};

/// The windows of one rank's block memory, which the one-sided implementations of an exchange share.
class Windows {
 public:
  Windows() = default;
  ~Windows() { release(); }
  Windows(const Windows&) = delete;
  Windows& operator=(const Windows&) = delete;
  Windows(Windows&&) = delete;
  Windows& operator=(Windows&&) = delete;

  /// Makes `count` windows for puts (of the buffer to receive into) or gets (of the one to send from), as far as they
  /// are not there; the same serve both where all ranks exchange within one buffer, `one_buffer`. `comm` is one that
  /// returns errors. Collective. Returns an MPI error code.
  ///
  /// Where library_mixes_windows_up(), only if no rank's begins in another.
  int make(MPI_Comm comm, const BlockMemory& memory, bool for_gets, bool one_buffer, int count);
  /// Whether the window for that would begin within the memory of one of Starling's that is there, and not at its
  /// beginning. On this rank.
  [[nodiscard]] static bool begin_in_another(const BlockMemory& memory, bool for_gets, bool one_buffer);
  [[nodiscard]] const std::vector<MPI_Win>& of(bool for_gets) const {
    return for_gets && !gets_.empty() ? gets_ : puts_;
  }
  /// Frees them. Collective where there are any.
  void release();

 private:
  std::vector<MPI_Win> puts_;
  std::vector<MPI_Win> gets_;
  std::vector<WindowRange> ranges_;  ///< their memory
};

}  // namespace starling::neighborhood
