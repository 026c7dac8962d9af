#include "runtime/aliases.hpp"

#include <array>
#include <atomic>

#include "runtime/pmpi.hpp"
#include "runtime/state.hpp"
#include "runtime/unit.hpp"

namespace starling {
namespace {

/// Whether a rank's own block, sent from `block`, is where it lies among the blocks of all in `all` already.
bool own_block_is(const void* block, std::int64_t count, MPI_Datatype type, const void* all, std::int64_t start,
                  std::int64_t all_count, MPI_Datatype all_type) {
  if (block == MPI_IN_PLACE || all == MPI_IN_PLACE || count == 0 || count != all_count || type != all_type)
    return false;
  return block == static_cast<const char*>(all) + (start * type_size(type));
}

/// Whether the buffers are the same where a library may look.
bool aliased(const Call& call, int rank) {
  const bool same = call.sendbuf == call.recvbuf && call.recvbuf != nullptr && call.sendbuf != MPI_IN_PLACE;
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
      return own_block_is(call.sendbuf, call.sendcount, call.sendtype, call.recvbuf, rank * call.recvcount,
                          call.recvcount, call.recvtype);
    case Collective::gatherv:
      if (rank != call.root) return false;
      [[fallthrough]];
    case Collective::allgatherv:
      return own_block_is(call.sendbuf, call.sendcount, call.sendtype, call.recvbuf, call.rdispls[rank],
                          call.recvcounts[rank], call.recvtype);
    case Collective::scatter:
      return rank == call.root && own_block_is(call.recvbuf, call.recvcount, call.recvtype, call.sendbuf,
                                               rank * call.sendcount, call.sendcount, call.sendtype);
    case Collective::scatterv:
      return rank == call.root && own_block_is(call.recvbuf, call.recvcount, call.recvtype, call.sendbuf,
                                               call.sdispls[rank], call.sendcounts[rank], call.sendtype);
    default: return false;
  }
}

/// Makes such a call on a communicator of this rank alone.
bool library_refuses(Collective collective) {
  int data = 0;
  const int one = 1;
  const int start = 0;
  const MPI_Datatype type = handles.int_;
  const std::lock_guard lock(state().alone_guard);
  MPI_Comm const comm = state().alone;
  const auto made = [&]() -> int {
    switch (collective) {
      case Collective::allreduce: return pmpi.Allreduce(&data, &data, 1, type, handles.sum, comm);
      case Collective::scan: return pmpi.Scan(&data, &data, 1, type, handles.sum, comm);
      case Collective::exscan: return pmpi.Exscan(&data, &data, 1, type, handles.sum, comm);
      case Collective::reduce: return pmpi.Reduce(&data, &data, 1, type, handles.sum, 0, comm);
      case Collective::reduce_scatter_block: return pmpi.Reduce_scatter_block(&data, &data, 1, type, handles.sum, comm);
      case Collective::reduce_scatter: return pmpi.Reduce_scatter(&data, &data, &one, type, handles.sum, comm);
      case Collective::alltoall: return pmpi.Alltoall(&data, 1, type, &data, 1, type, comm);
      case Collective::alltoallv: return pmpi.Alltoallv(&data, &one, &start, type, &data, &one, &start, type, comm);
      case Collective::alltoallw: return pmpi.Alltoallw(&data, &one, &start, &type, &data, &one, &start, &type, comm);
      case Collective::allgather: return pmpi.Allgather(&data, 1, type, &data, 1, type, comm);
      case Collective::allgatherv: return pmpi.Allgatherv(&data, 1, type, &data, &one, &start, type, comm);
      case Collective::gather: return pmpi.Gather(&data, 1, type, &data, 1, type, 0, comm);
      case Collective::gatherv: return pmpi.Gatherv(&data, 1, type, &data, &one, &start, type, 0, comm);
      case Collective::scatter: return pmpi.Scatter(&data, 1, type, &data, 1, type, 0, comm);
      case Collective::scatterv: return pmpi.Scatterv(&data, &one, &start, type, &data, 1, type, 0, comm);
      default: return MPI_SUCCESS;
    }
  };
  return made() != MPI_SUCCESS;
}

}  // namespace

bool refused_for_aliases(const Call& call, int rank) {
  if (!aliased(call, rank)) return false;
  enum : std::uint8_t { unknown, refuses, accepts };
  static std::array<std::atomic<std::uint8_t>, collective_count> asked{};
  auto& answer = asked[static_cast<std::size_t>(call.collective)];
  if (answer == unknown) answer = library_refuses(call.collective) ? refuses : accepts;
  return answer == refuses;
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
