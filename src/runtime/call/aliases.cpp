#include "runtime/call/aliases.hpp"

#include "runtime/call/checks.hpp"
#include "runtime/mpi/unit.hpp"

namespace starling {
namespace {

/// Whether a rank's own block, at `block`, already lies in its place in `all`, the buffer with all ranks' blocks.
bool own_block_aliased(const void* block, std::int64_t count, MPI_Datatype type, const void* all, std::int64_t start,
                       std::int64_t all_count, MPI_Datatype all_type) {
  if (block == MPI_IN_PLACE || all == MPI_IN_PLACE || count == 0 || count != all_count || type != all_type)
    return false;
  return block == static_cast<const char*>(all) + (start * type_size(type));
}

/// Whether the buffers are the same in a way that a library may check.
bool aliased(const Call& call, int rank) {
  const bool same = call.sendbuf == call.recvbuf && call.sendbuf != MPI_IN_PLACE;
  switch (call.collective) {
    case Collective::allreduce:
    case Collective::scan:
    case Collective::exscan: return same && call.sendcount > 0;
    case Collective::reduce: return same && call.sendcount > 0 && rank == call.root;
    case Collective::reduce_scatter_block: return same && call.recvcount > 0;
    case Collective::reduce_scatter: return same && call.recvcounts[rank] > 0;
    case Collective::alltoall:
      return same && call.sendcount > 0 && call.sendcount == call.recvcount && call.sendtype == call.recvtype;
    case Collective::alltoallv:
      return same && call.sendcounts.values == call.recvcounts.values && call.sendtype == call.recvtype;
    case Collective::alltoallw:
      return same && call.sendcounts.values == call.recvcounts.values && call.sendtypes == call.recvtypes;
    case Collective::gather:
      if (rank != call.root) return false;
      [[fallthrough]];
    case Collective::allgather:
      return own_block_aliased(call.sendbuf, call.sendcount, call.sendtype, call.recvbuf, rank * call.recvcount,
                               call.recvcount, call.recvtype);
    case Collective::gatherv:
      if (rank != call.root) return false;
      [[fallthrough]];
    case Collective::allgatherv:
      return own_block_aliased(call.sendbuf, call.sendcount, call.sendtype, call.recvbuf, call.rdispls[rank],
                               call.recvcounts[rank], call.recvtype);
    case Collective::scatter:
      return rank == call.root && own_block_aliased(call.recvbuf, call.recvcount, call.recvtype, call.sendbuf,
                                                    rank * call.sendcount, call.sendcount, call.sendtype);
    case Collective::scatterv:
      return rank == call.root && own_block_aliased(call.recvbuf, call.recvcount, call.recvtype, call.sendbuf,
                                                    call.sdispls[rank], call.sendcounts[rank], call.sendtype);
    default: return false;
  }
}

}  // namespace

bool refused_for_aliases(const Call& call, int rank) {
  const int from = checks_of(call.collective).aliases_from;
  return from != 0 && aliased(call, rank) && (from == 1 || call.sendcount >= from);
}

std::uintptr_t aliased_distance(const Call& call, int rank) {
  constexpr std::uintptr_t never = 1;
  const auto block = [&](std::int64_t count, MPI_Datatype type) {
    return static_cast<std::uintptr_t>(rank * count * type_size(type));
  };
  switch (call.collective) {
    case Collective::barrier:
    case Collective::bcast: return never;
    case Collective::gather: return rank == call.root ? block(call.recvcount, call.recvtype) : never;
    case Collective::allgather: return block(call.recvcount, call.recvtype);
    case Collective::scatter: return rank == call.root ? 0 - block(call.sendcount, call.sendtype) : never;
    default: return 0;
  }
}

}  // namespace starling
