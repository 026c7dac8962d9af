#pragma once

#include <cstdint>

#include "algorithms/algorithm.hpp"
#include "runtime/call/call.hpp"
#include "runtime/mpi/datatype_shape.hpp"

namespace starling {

/// What a choice may depend on: equal on all ranks by the MPI standard (docs/run-record.md).
struct CallKey {
  std::int64_t bytes;  ///< per rank and peer block; -1 where ranks cannot all know it
  bool commutative;
  bool built_in;  ///< the operator
  bool in_place;
  bool bucket = false;     ///< stands for all sizes from `bytes` up to, but without, `up_to`
  std::int64_t up_to = 0;  ///< of a bucket; 0 where `bytes` is not known
  bool operator==(const CallKey&) const = default;
};

/// What the runtime knows of a call before it chooses.
struct Facts {
  CallKey key;
  std::int64_t units;  ///< bytes, or elements of a reduction, of all blocks together
  std::int64_t work;   ///< what this rank sends and receives where calls of one key differ in that, in bytes
  Situation situation;
};

/// Looks at the arguments of `call` on an intracommunicator of `ranks` ranks. False when they are such that only the
/// MPI library can tell the application what is wrong with them, in its own words.
bool facts_of(const Call& call, int ranks, int rank, Facts& facts);

/// The latest call of its kind, to spare the next one a second look if it is the same: most programs make the same call
/// over and over. Only calls whose arguments mean the same are kept: MPI's own operators, no arrays of counts, and
/// datatypes until the program frees one, whose handle may then stand for another.
class LatestCall {
 public:
  /// Whether `call` differs from the one kept in nothing but the addresses of its buffers. Both are of one collective.
  [[nodiscard]] bool is_like(const Call& call) const {
    return kept_ && (until_gone_ == 0 || until_gone_ == types_gone()) && call.sendcount == call_.sendcount &&
           call.recvcount == call_.recvcount && call.sendtype == call_.sendtype && call.recvtype == call_.recvtype &&
           call.op == call_.op && call.root == call_.root && call.recvbuf != MPI_IN_PLACE &&
           (call.sendbuf == MPI_IN_PLACE) == (call_.sendbuf == MPI_IN_PLACE) &&
           (call.sendbuf == nullptr) == (call_.sendbuf == nullptr) && apart(call) != aliased_apart_ &&
           (call.recvbuf == nullptr) == (call_.recvbuf == nullptr);
  }
  /// Keeps the call of this rank if it may be kept.
  void keep(const Call& call, int rank);
  void forget() { kept_ = false; }

 private:
  /// From the receive buffer to the send buffer, in bytes.
  [[nodiscard]] static std::uintptr_t apart(const Call& call) {
    return reinterpret_cast<std::uintptr_t>(call.sendbuf) - reinterpret_cast<std::uintptr_t>(call.recvbuf);
  }

  bool kept_ = false;
  std::uint64_t until_gone_ = 0;  ///< types_gone() then, if a type of the program's is part of the call
  Call call_{};
  std::uintptr_t aliased_apart_ = 0;  ///< how far apart buffers are where they alias (aliases.hpp)
};

}  // namespace starling
