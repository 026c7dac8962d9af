#include "runtime/call/aliases.hpp"

#include <array>

#include "runtime/mpi/features.hpp"
#include "runtime/mpi/pmpi.hpp"
#include "runtime/mpi/process.hpp"
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

/// The element counts to test: some libraries refuse aliased calls only from two elements on.
constexpr std::array<int, 2> tested_counts{1, 2};

/// By collective, the smallest element count at which the library refuses aliased calls; 0: it accepts all.
std::array<int, collective_count> refused_from{};

/// Makes an aliased call on a communicator of this rank only.
bool library_refuses(Collective collective, int count) {
  std::array<int, 2> data{};
  const int start = 0;
  const MPI_Datatype type = handles.int_;
  MPI_Comm const comm = process().self;
  const auto made = [&]() -> int {
    switch (collective) {
      case Collective::allreduce: return pmpi.Allreduce(data.data(), data.data(), count, type, handles.sum, comm);
      case Collective::scan: return pmpi.Scan(data.data(), data.data(), count, type, handles.sum, comm);
      case Collective::exscan: return pmpi.Exscan(data.data(), data.data(), count, type, handles.sum, comm);
      case Collective::reduce: return pmpi.Reduce(data.data(), data.data(), count, type, handles.sum, 0, comm);
      case Collective::reduce_scatter_block:
        return pmpi.Reduce_scatter_block(data.data(), data.data(), count, type, handles.sum, comm);
      case Collective::reduce_scatter:
        return pmpi.Reduce_scatter(data.data(), data.data(), &count, type, handles.sum, comm);
      case Collective::alltoall: return pmpi.Alltoall(data.data(), count, type, data.data(), count, type, comm);
      case Collective::alltoallv:
        return pmpi.Alltoallv(data.data(), &count, &start, type, data.data(), &count, &start, type, comm);
      case Collective::alltoallw:
        return pmpi.Alltoallw(data.data(), &count, &start, &type, data.data(), &count, &start, &type, comm);
      case Collective::allgather: return pmpi.Allgather(data.data(), count, type, data.data(), count, type, comm);
      case Collective::allgatherv:
        return pmpi.Allgatherv(data.data(), count, type, data.data(), &count, &start, type, comm);
      case Collective::gather: return pmpi.Gather(data.data(), count, type, data.data(), count, type, 0, comm);
      case Collective::gatherv:
        return pmpi.Gatherv(data.data(), count, type, data.data(), &count, &start, type, 0, comm);
      case Collective::scatter: return pmpi.Scatter(data.data(), count, type, data.data(), count, type, 0, comm);
      case Collective::scatterv:
        return pmpi.Scatterv(data.data(), &count, &start, type, data.data(), count, type, 0, comm);
      default: return MPI_SUCCESS;
    }
  };
  return made() != MPI_SUCCESS;
}

}  // namespace

void probe_refused_aliases() {
  if (STARLING_SIMULATED) return;  // SMPI checks nothing
  MPI_Errhandler handler{};
  pmpi.Comm_get_errhandler(handles.comm_world, &handler);
  pmpi.Comm_set_errhandler(handles.comm_world, handles.errors_return);
  for (std::size_t i = 0; i < refused_from.size(); ++i)
    for (auto count = tested_counts.rbegin(); count != tested_counts.rend(); ++count)
      if (library_refuses(static_cast<Collective>(i), *count)) refused_from.at(i) = *count;
  pmpi.Comm_set_errhandler(handles.comm_world, handler);
  pmpi.Errhandler_free(&handler);
}

bool refused_for_aliases(const Call& call, int rank) {
  const int from = refused_from[static_cast<std::size_t>(call.collective)];
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
