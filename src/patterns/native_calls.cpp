#include "patterns/native_calls.hpp"

#include "runtime/mpi/pmpi.hpp"

namespace starling::patterns {
namespace {

const int* ints(const Counts& counts) {
  return static_cast<const int*>(counts.values);
}
const int* ints(const Displacements& displacements) {
  return static_cast<const int*>(displacements.values);
}

/// Calls the blocking function of a collective with its arguments, or the nonblocking one with a request behind them.
template <typename... Request>
int made(const Call& c, Request... request) {
  const auto call = [&]([[maybe_unused]] auto blocking_function, [[maybe_unused]] auto nonblocking_function,
                        auto... arguments) {
    if constexpr (sizeof...(Request) == 0) {
      return blocking_function(arguments...);
    } else {
      return nonblocking_function(arguments..., request...);
    }
  };
  const auto send = static_cast<int>(c.sendcount);
  const auto receive = static_cast<int>(c.recvcount);
  switch (c.collective) {
    case Collective::allgather:
      return call(pmpi.Allgather, pmpi.Iallgather, c.sendbuf, send, c.sendtype, c.recvbuf, receive, c.recvtype, c.comm);
    case Collective::allgatherv:
      return call(pmpi.Allgatherv, pmpi.Iallgatherv, c.sendbuf, send, c.sendtype, c.recvbuf, ints(c.recvcounts),
                  ints(c.rdispls), c.recvtype, c.comm);
    case Collective::allreduce:
      return call(pmpi.Allreduce, pmpi.Iallreduce, c.sendbuf, c.recvbuf, send, c.sendtype, c.op, c.comm);
    case Collective::alltoall:
      return call(pmpi.Alltoall, pmpi.Ialltoall, c.sendbuf, send, c.sendtype, c.recvbuf, receive, c.recvtype, c.comm);
    case Collective::alltoallv:
      return call(pmpi.Alltoallv, pmpi.Ialltoallv, c.sendbuf, ints(c.sendcounts), ints(c.sdispls), c.sendtype,
                  c.recvbuf, ints(c.recvcounts), ints(c.rdispls), c.recvtype, c.comm);
    case Collective::alltoallw:
      return call(pmpi.Alltoallw, pmpi.Ialltoallw, c.sendbuf, ints(c.sendcounts), ints(c.sdispls), c.sendtypes,
                  c.recvbuf, ints(c.recvcounts), ints(c.rdispls), c.recvtypes, c.comm);
    case Collective::barrier: return call(pmpi.Barrier, pmpi.Ibarrier, c.comm);
    case Collective::bcast: return call(pmpi.Bcast, pmpi.Ibcast, c.recvbuf, send, c.sendtype, c.root, c.comm);
    case Collective::exscan:
      return call(pmpi.Exscan, pmpi.Iexscan, c.sendbuf, c.recvbuf, send, c.sendtype, c.op, c.comm);
    case Collective::gather:
      return call(pmpi.Gather, pmpi.Igather, c.sendbuf, send, c.sendtype, c.recvbuf, receive, c.recvtype, c.root,
                  c.comm);
    case Collective::gatherv:
      return call(pmpi.Gatherv, pmpi.Igatherv, c.sendbuf, send, c.sendtype, c.recvbuf, ints(c.recvcounts),
                  ints(c.rdispls), c.recvtype, c.root, c.comm);
    case Collective::reduce:
      return call(pmpi.Reduce, pmpi.Ireduce, c.sendbuf, c.recvbuf, send, c.sendtype, c.op, c.root, c.comm);
    case Collective::reduce_scatter:
      return call(pmpi.Reduce_scatter, pmpi.Ireduce_scatter, c.sendbuf, c.recvbuf, ints(c.recvcounts), c.sendtype, c.op,
                  c.comm);
    case Collective::reduce_scatter_block:
      return call(pmpi.Reduce_scatter_block, pmpi.Ireduce_scatter_block, c.sendbuf, c.recvbuf, receive, c.sendtype,
                  c.op, c.comm);
    case Collective::scan: return call(pmpi.Scan, pmpi.Iscan, c.sendbuf, c.recvbuf, send, c.sendtype, c.op, c.comm);
    case Collective::scatter:
      return call(pmpi.Scatter, pmpi.Iscatter, c.sendbuf, send, c.sendtype, c.recvbuf, receive, c.recvtype, c.root,
                  c.comm);
    case Collective::scatterv:
      return call(pmpi.Scatterv, pmpi.Iscatterv, c.sendbuf, ints(c.sendcounts), ints(c.sdispls), c.sendtype, c.recvbuf,
                  receive, c.recvtype, c.root, c.comm);
    case Collective::neighbor_allgather:
    case Collective::neighbor_allgatherv:
    case Collective::neighbor_alltoall:
    case Collective::neighbor_alltoallv:
    case Collective::neighbor_alltoallw: break;  // no function set has them
  }
  return MPI_ERR_OTHER;
}

}  // namespace

int call_natively(const Call& call) {
  return made(call);
}

int begin_natively(const Call& call, MPI_Request& request) {
  return made(call, &request);
}

}  // namespace starling::patterns
