#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "algorithms/algorithm.hpp"
#include "runtime/call/call.hpp"
#include "runtime/call/degrees.hpp"
#include "runtime/mpi/datatype_shape.hpp"
#include "tuning/call_key.hpp"

namespace starling {

/// What the runtime knows about a call before it chooses.
struct Facts {
  CallKey key;
  std::int64_t units;  ///< bytes, or elements of a reduction, of all blocks together
  std::int64_t work;   ///< bytes that this rank sends and receives, where calls of one key differ in them
  /// Every rank has data for every other one, as far as all ranks know it, so that none can end before all have begun.
  bool synchronises;
  Situation situation;
  /// A number that later calls of this collective on this communicator have as well while they differ only in the
  /// addresses of buffers (LatestCall), and no others have; 0 where nobody looks for such calls.
  std::uint64_t alike;
};

/// Reads the arguments of `call` on an intracommunicator of `ranks` ranks. False when they are wrong: the MPI library
/// must then report the error to the application.
bool facts_of(const Call& call, int ranks, int rank, Facts& facts);

/// The latest call of one collective. If the next one is the same, its arguments need not be read again: most programs
/// repeat the same call. Kept only if equal arguments mean the same call: predefined operators, no arrays of counts
/// except those of neighbourhood collectives, which are short and compared. With a datatype of the program, only until
/// the program frees any datatype: MPI may reuse the handle.
class LatestCall {
 public:
  /// Whether `call`, of the same collective, differs from the kept one only in the addresses of its buffers. Members
  /// that lie side by side are not compared one after the other: the compiler would read two that were just written as
  /// one, and the processor then waits until all that was written before is in its cache, 25 ns after a message.
  [[nodiscard]] bool matches(const Call& call) const {
    return kept_ && (types_freed_ == 0 || types_freed_ == types_freed()) && call.sendtype == call_.sendtype &&
           call.op == call_.op && call.sendcount == call_.sendcount && call.recvtype == call_.recvtype &&
           call.recvcount == call_.recvcount && call.root == call_.root && call.recvbuf != MPI_IN_PLACE &&
           (call.sendbuf == MPI_IN_PLACE) == call_.send_in_place && (call.sendbuf == nullptr) == call_.send_null &&
           distance(call) != aliased_distance_ && (call.recvbuf == nullptr) == call_.recv_null &&
           (!arrays_ || has_same_arrays(call));
  }
  /// Keeps this rank's call if it may be kept.
  void keep(const Call& call, int rank);
  void forget() { kept_ = false; }

 private:
  /// From the receive buffer to the send buffer, in bytes.
  [[nodiscard]] static std::uintptr_t distance(const Call& call) {
    return reinterpret_cast<std::uintptr_t>(call.sendbuf) - reinterpret_cast<std::uintptr_t>(call.recvbuf);
  }

  [[nodiscard]] bool has_same_arrays(const Call& call) const;
  bool keep_arrays(const Call& call);

  /// What `matches` compares: each context keeps such a call.
  struct Scalars {
    MPI_Datatype sendtype{};
    MPI_Op op{};
    std::int64_t sendcount = 0;
    MPI_Datatype recvtype{};
    std::int64_t recvcount = 0;
    int root = 0;
    bool send_in_place = false;
    bool send_null = false;
    bool recv_null = false;
  };
  /// Of a neighbourhood collective, first those of the send side.
  struct Arrays {
    Degrees degrees;
    std::vector<std::int64_t> numbers;  ///< a count and a displacement for each block
    std::vector<MPI_Datatype> types;
  };

  bool kept_ = false;
  std::uint64_t types_freed_ = 0;  ///< types_freed() when it was kept; 0 if the call has only predefined datatypes
  Scalars call_;
  std::uintptr_t aliased_distance_ = 0;  ///< see aliases.hpp
  std::unique_ptr<Arrays> arrays_;       ///< null where the call has none that count
};

}  // namespace starling
