#include "runtime/call/checks.hpp"

#include <mpi.h>

#include <array>
#include <cstddef>

#include "runtime/mpi/features.hpp"
#include "runtime/mpi/pmpi.hpp"
#include "runtime/mpi/process.hpp"

namespace starling {
namespace {

std::array<Checks, collective_count> checks{};

/// The element counts to test: some libraries refuse aliased calls only from two elements on.
constexpr std::array<int, 2> tested_counts{1, 2};

/// What a tested call is made with. A broadcast has the receive buffer and the send type.
struct Tested {
  void* send;
  void* receive;
  int count;
  MPI_Datatype send_type;
  MPI_Datatype receive_type;
};

/// Makes a call on a communicator of this rank only. Both sides have the same arrays of counts and of types, as far as
/// they are equal: libraries compare the addresses.
int make(Collective collective, const Tested& tested) {
  const auto& [send, receive, count, type, receive_type] = tested;
  const int start = 0;
  const MPI_Datatype* const types = receive_type == type ? &type : &receive_type;
  MPI_Comm const comm = process().self;
  switch (collective) {
    case Collective::bcast: return pmpi.Bcast(receive, count, type, 0, comm);
    case Collective::allreduce: return pmpi.Allreduce(send, receive, count, type, handles.sum, comm);
    case Collective::scan: return pmpi.Scan(send, receive, count, type, handles.sum, comm);
    case Collective::exscan: return pmpi.Exscan(send, receive, count, type, handles.sum, comm);
    case Collective::reduce: return pmpi.Reduce(send, receive, count, type, handles.sum, 0, comm);
    case Collective::reduce_scatter_block:
      return pmpi.Reduce_scatter_block(send, receive, count, type, handles.sum, comm);
    case Collective::reduce_scatter: return pmpi.Reduce_scatter(send, receive, &count, type, handles.sum, comm);
    case Collective::alltoall: return pmpi.Alltoall(send, count, type, receive, count, receive_type, comm);
    case Collective::alltoallv:
      return pmpi.Alltoallv(send, &count, &start, type, receive, &count, &start, receive_type, comm);
    case Collective::alltoallw:
      return pmpi.Alltoallw(send, &count, &start, &type, receive, &count, &start, types, comm);
    case Collective::allgather: return pmpi.Allgather(send, count, type, receive, count, receive_type, comm);
    case Collective::allgatherv: return pmpi.Allgatherv(send, count, type, receive, &count, &start, receive_type, comm);
    case Collective::gather: return pmpi.Gather(send, count, type, receive, count, receive_type, 0, comm);
    case Collective::gatherv: return pmpi.Gatherv(send, count, type, receive, &count, &start, receive_type, 0, comm);
    case Collective::scatter: return pmpi.Scatter(send, count, type, receive, count, receive_type, 0, comm);
    case Collective::scatterv: return pmpi.Scatterv(send, &count, &start, type, receive, count, receive_type, 0, comm);
    default: return MPI_SUCCESS;
  }
}

bool refuses(Collective collective, const Tested& tested) {
  return make(collective, tested) != MPI_SUCCESS;
}

/// A library that checks nothing carries out this call, too: it moves no data.
bool checks_arguments() {
  constexpr int nobody = 1;
  return pmpi.Bcast(nullptr, 0, handles.int_, nobody, process().self) != MPI_SUCCESS;
}

Checks checks_by_calls(Collective collective, MPI_Datatype uncommitted) {
  std::array<int, 2> data{};
  std::array<int, 2> other{};
  const MPI_Datatype type = handles.int_;
  const MPI_Datatype none = handles.datatype_null;
  Checks found;
  for (auto count = tested_counts.rbegin(); count != tested_counts.rend(); ++count)
    if (refuses(collective, {data.data(), data.data(), *count, type, type})) found.aliases_from = *count;
  found.unused_result = collective == Collective::exscan && refuses(collective, {data.data(), nullptr, 1, type, type});
  const bool from_root = collective == Collective::scatter || collective == Collective::scatterv;
  found.misplaced = refuses(collective, from_root ? Tested{MPI_IN_PLACE, other.data(), 0, type, type}
                                                  : Tested{data.data(), MPI_IN_PLACE, 0, type, type});
  const auto refuses_empty = [&](MPI_Datatype send_type, MPI_Datatype receive_type) {
    return refuses(collective, {data.data(), other.data(), 0, send_type, receive_type});
  };
  // Reductions are not asked: MPICH 5 reads the null type.
  found.no_type_to_send = reduces(collective) || refuses_empty(none, type);
  found.no_type_to_receive = refuses_empty(type, none);
  found.uncommitted_to_send = reduces(collective) || refuses_empty(uncommitted, type);
  found.uncommitted_to_receive = refuses_empty(type, uncommitted);
  return found;
}

}  // namespace

void probe_checks() {
  if (STARLING_SIMULATED) return;
  MPI_Errhandler handler{};
  pmpi.Comm_get_errhandler(handles.comm_world, &handler);
  pmpi.Comm_set_errhandler(handles.comm_world, handles.errors_return);
  if (checks_arguments()) {
    MPI_Datatype uncommitted{};
    pmpi.Type_contiguous(1, handles.int_, &uncommitted);
    for (std::size_t i = 0; i < checks.size(); ++i)
      checks.at(i) = checks_by_calls(static_cast<Collective>(i), uncommitted);
    pmpi.Type_free(&uncommitted);
  }
  pmpi.Comm_set_errhandler(handles.comm_world, handler);
  pmpi.Errhandler_free(&handler);
}

const Checks& checks_of(Collective collective) {
  return checks[static_cast<std::size_t>(collective)];
}

}  // namespace starling
