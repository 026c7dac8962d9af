#include "runtime/call/emptiness.hpp"

#include "runtime/call/checks.hpp"
#include "runtime/mpi/pmpi.hpp"

namespace starling {
namespace {

bool all_zero(const Counts& counts, int ranks) {
  if (counts.values == nullptr) return false;
  for (int rank = 0; rank < ranks; ++rank)
    if (counts[rank] != 0) return false;
  return true;
}

/// Whether this rank has nothing to send, or to receive: false where a side is not significant here.
struct Empty {
  bool send = false;
  bool receive = false;
};

Empty empty_sides(const Call& call, int ranks, int rank) {
  const bool is_root = rank == call.root;
  switch (call.collective) {
    case Collective::bcast: return {.receive = call.sendcount == 0};
    case Collective::allreduce:
    case Collective::scan:
    case Collective::exscan: return {call.sendcount == 0, call.sendcount == 0};
    case Collective::reduce: return {call.sendcount == 0, call.sendcount == 0 && is_root};
    case Collective::reduce_scatter_block: return {call.recvcount == 0, call.recvcount == 0};
    case Collective::reduce_scatter: {
      const bool empty = all_zero(call.recvcounts, ranks);
      return {empty, empty};
    }
    case Collective::allgather:
    case Collective::alltoall: return {call.sendcount == 0, call.recvcount == 0};
    case Collective::allgatherv: return {call.sendcount == 0, all_zero(call.recvcounts, ranks)};
    case Collective::gather: return {call.sendcount == 0, is_root && call.recvcount == 0};
    case Collective::gatherv: return {call.sendcount == 0, is_root && all_zero(call.recvcounts, ranks)};
    case Collective::scatter: return {is_root && call.sendcount == 0, call.recvcount == 0};
    case Collective::scatterv: return {is_root && all_zero(call.sendcounts, ranks), call.recvcount == 0};
    case Collective::alltoallv:
    case Collective::alltoallw:
      return {call.sendbuf != MPI_IN_PLACE && all_zero(call.sendcounts, ranks), all_zero(call.recvcounts, ranks)};
    default: return {};
  }
}

/// Whether MPI allows MPI_IN_PLACE as the send buffer on this rank.
bool may_send_in_place(const Call& call, int rank) {
  switch (call.collective) {
    case Collective::reduce:
    case Collective::gather:
    case Collective::gatherv: return rank == call.root;
    case Collective::scatter:
    case Collective::scatterv: return false;
    default: return true;
  }
}

}  // namespace

std::optional<Call> with_all_arguments(const Call& call, int ranks, int rank) {
  static char nothing = 0;
  const bool from_root = call.collective == Collective::scatter || call.collective == Collective::scatterv;
  const bool sends_in_place = call.sendbuf == MPI_IN_PLACE && !may_send_in_place(call, rank);
  const bool receives_in_place = call.recvbuf == MPI_IN_PLACE && !(from_root && rank == call.root);
  const bool has_no_type = call.sendtype == handles.datatype_null || call.recvtype == handles.datatype_null;
  if (!sends_in_place && !receives_in_place && !has_no_type) return std::nullopt;
  const Empty empty = empty_sides(call, ranks, rank);
  const Checks& refused = checks_of(call.collective);
  Call whole = call;
  bool changed = false;
  const auto put = [&changed](auto& argument, auto value) {
    argument = value;
    changed = true;
  };
  if (sends_in_place && empty.send && !refused.misplaced) put(whole.sendbuf, &nothing);
  if (receives_in_place && empty.receive && !refused.misplaced) put(whole.recvbuf, &nothing);
  const bool sends_type = call.collective == Collective::bcast ? empty.receive : empty.send;
  if (whole.sendtype == handles.datatype_null && sends_type && !refused.no_type_to_send)
    put(whole.sendtype, handles.int_);
  if (whole.recvtype == handles.datatype_null && empty.receive && !refused.no_type_to_receive)
    put(whole.recvtype, handles.int_);
  return changed ? std::optional(whole) : std::nullopt;
}

}  // namespace starling
