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

/// Converts a call's buffers to the form that programs work on, and back: blocks of plain bytes where data only moves,
/// consecutive elements where it is reduced. Data in this form is used where it is; other data is staged. This is
/// local: other ranks may do otherwise. Reused for the next call, so that its layouts need no new memory.
class Staging {
 public:
  /// Sets up for a call whose data is divided into `blocks` blocks. `passes_on`: ranks pass on blocks of others,
  /// several in one message, also where only some ranks know how large they are.
  void set_up(const Call& call, const Facts& facts, int blocks, int rank, bool works_in_place, bool passes_on = false);
  /// The same for a call that differs from the latest one only in the addresses of its buffers.
  void refresh(const Call& call, const Facts& facts) {
    call_ = &call;
    if ((stage_send_ || stage_recv_) && !reduces(call.collective)) find_sides(facts);
  }

  [[nodiscard]] const Layout& send_layout() const { return own_send_layout_ ? send_layout_ : recv_layout_; }
  [[nodiscard]] const Layout& recv_layout() const { return recv_layout_; }
  [[nodiscard]] const Unit& unit() const { return unit_; }

  /// Bytes of workspace for `program`'s scratch and the staged data.
  [[nodiscard]] std::size_t workspace_bytes(const Program& program) const;
  /// Places `buffers` in `workspace` where needed, and copies in the data to stage. Returns an MPI error code.
  int begin(const Program& program, char* workspace, Buffers& buffers) const {
    char*& recv = buffers.at(Buffer::recv);
    recv = static_cast<char*>(call_->recvbuf);
    buffers.at(Buffer::send) = in_place_or_own(recv);
    const bool needs_memory = stage_send_ || stage_recv_ || !program.scratch.empty();
    return needs_memory ? place(program, workspace, buffers) : MPI_SUCCESS;
  }
  /// Copies staged results to the application's buffer. Returns an MPI error code.
  [[nodiscard]] int end(const Buffers& buffers) const { return stage_recv_ ? give_back(buffers) : MPI_SUCCESS; }

 private:
  /// Where the data to send is if it is not staged.
  [[nodiscard]] char* in_place_or_own(char* recv) const {
    return alias_send_ ? recv + (alias_start_ * unit_.extent) : static_cast<char*>(const_cast<void*>(call_->sendbuf));
  }
  int place(const Program& program, char* workspace, Buffers& buffers) const;
  [[nodiscard]] int give_back(const Buffers& buffers) const;
  void find_sides(const Facts& facts);
  void set_up_reduction(const Facts& facts, int blocks, bool works_in_place);
  void set_up_movement(const Facts& facts, int blocks, bool works_in_place, bool passes_on);
  void lay_out_from_root(int blocks, bool passes_on);
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
