#pragma once

#include <cstddef>
#include <cstdint>

#include "runtime/call.hpp"
#include "runtime/executor.hpp"
#include "runtime/unit.hpp"
#include "schedule/program.hpp"

namespace starling {

/// Brings a call's buffers into the form that programs work on, and back: consecutive plain bytes where data only
/// moves, consecutive elements where it is reduced. Data that is so already is used where it lies; else it is staged by
/// this rank alone, whatever the others do.
class Staging {
 public:
  Staging(const Call& call, const Layout& layout, int rank, bool works_in_place);

  [[nodiscard]] const Unit& unit() const { return unit_; }
  /// Bytes of workspace for `program`'s scratch and what is staged.
  [[nodiscard]] std::size_t workspace_bytes(const Program& program) const;
  /// Sets `buffers` up in `workspace` and fills what is staged. Returns an MPI error code.
  int begin(const Program& program, char* workspace, Buffers& buffers) const;
  /// Gives staged results to the application. Returns an MPI error code.
  int end(const Buffers& buffers) const;

 private:
  [[nodiscard]] std::int64_t send_units() const;
  [[nodiscard]] std::int64_t recv_units() const;
  int unpack_blocks(const char* staged) const;

  const Call& call_;
  const Layout& layout_;
  int rank_;
  Unit unit_;
  bool in_place_;
  bool alias_send_ = false;  ///< the send buffer is part of the receive buffer
  bool stage_send_ = false;
  bool stage_recv_ = false;
};

}  // namespace starling
