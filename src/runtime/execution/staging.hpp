#pragma once

#include <cstddef>
#include <cstdint>

#include "runtime/call/call.hpp"
#include "runtime/call/facts.hpp"
#include "runtime/call/side.hpp"
#include "runtime/execution/executor.hpp"
#include "runtime/mpi/unit.hpp"
#include "schedule/program.hpp"

namespace starling {

/// Brings a call's buffers into the form that programs work on, and back: blocks of plain bytes where data only moves,
/// consecutive elements where it is reduced. Data that is so already is used where it lies; else it is staged by this
/// rank alone, whatever the others do. Kept from call to call, so that its layouts need no new memory.
class Staging {
 public:
  /// Looks at a call whose data is divided into `blocks` blocks.
  void look_at(const Call& call, const Facts& facts, int blocks, int rank, bool works_in_place);
  /// The same for a call that is like the latest one but for the addresses of its buffers.
  void refresh(const Call& call, const Facts& facts);

  [[nodiscard]] const Layout& send_layout() const { return own_send_layout_ ? send_layout_ : recv_layout_; }
  [[nodiscard]] const Layout& recv_layout() const { return recv_layout_; }
  [[nodiscard]] const Unit& unit() const { return unit_; }

  /// Bytes of workspace for `program`'s scratch and what is staged.
  [[nodiscard]] std::size_t workspace_bytes(const Program& program) const;
  /// Sets `buffers` up in `workspace` and fills what is staged. Returns an MPI error code.
  int begin(const Program& program, char* workspace, Buffers& buffers) const;
  /// Gives staged results to the application. Returns an MPI error code.
  int end(const Buffers& buffers) const;

 private:
  void find_sides(const Facts& facts);
  void look_at_reduction(const Facts& facts, int blocks, bool works_in_place);
  void look_at_movement(const Facts& facts, int blocks, bool works_in_place);
  void lay_out_from_root(int blocks);
  static void lay_out(const Side& side, bool staged, Layout& layout);

  const Call* call_ = nullptr;
  int rank_ = 0;
  Unit unit_{};
  Side source_;
  Side target_;
  Layout send_layout_{0, 0};
  Layout recv_layout_{0, 0};
  bool own_send_layout_ = false;
  bool alias_send_ = false;  ///< the send buffer is part of the receive buffer
  bool stage_send_ = false;
  bool stage_recv_ = false;
  std::int64_t send_units_ = 0;  ///< to stage
  std::int64_t recv_units_ = 0;
  std::int64_t alias_start_ = 0;  ///< units from the receive buffer's start to the send buffer in it
};

}  // namespace starling
