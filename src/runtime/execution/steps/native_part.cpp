#include "runtime/execution/steps/native_part.hpp"

#include <climits>

#include "runtime/mpi/pmpi.hpp"
#include "schedule/native_pieces.hpp"

namespace starling {
namespace {

/// Carries out a collective, or starts it where there is a request for it.
int native_piece(const Running& run, const NativePart& part, MPI_Comm comm, MPI_Request* request) {
  const auto call = [&](auto blocking, auto nonblocking, auto... arguments) {
    return request == nullptr ? blocking(arguments..., comm) : nonblocking(arguments..., comm, request);
  };
  if (part.collective == Collective::barrier) return call(pmpi.Barrier, pmpi.Ibarrier);
  const void* from = run.at(part.from);
  char* into = run.at(part.into);
  const int members = part.group.size();
  int member = 0;
  pmpi.Comm_rank(comm, &member);
  // What a rank gives or gets, where MPI counts per member.
  const std::int64_t block = part.collective == Collective::alltoall ? part.from.count / members
                             : part.collective == Collective::allgather || part.collective == Collective::gather ||
                                     part.collective == Collective::allreduce || part.collective == Collective::reduce
                                 ? part.from.count
                                 : part.into.count;
  const Typed data(block, run.unit.type);
  const int count = data.count;
  const MPI_Datatype type = data.type;
  const int root = part.root;
  switch (part.collective) {
    case Collective::allgather:
      // A block that lies in its place already is MPI's in-place case: buffers must not overlap otherwise.
      if (from == into + (member * block * run.unit.extent)) from = MPI_IN_PLACE;
      return call(pmpi.Allgather, pmpi.Iallgather, from, count, type, into, count, type);
    case Collective::alltoall: return call(pmpi.Alltoall, pmpi.Ialltoall, from, count, type, into, count, type);
    case Collective::allreduce:
      return call(pmpi.Allreduce, pmpi.Iallreduce, from == into ? MPI_IN_PLACE : from, into, count, type, run.op);
    case Collective::reduce: return call(pmpi.Reduce, pmpi.Ireduce, from, into, count, type, run.op, root);
    case Collective::reduce_scatter_block:
      return call(pmpi.Reduce_scatter_block, pmpi.Ireduce_scatter_block, from, into, count, type, run.op);
    case Collective::bcast: return call(pmpi.Bcast, pmpi.Ibcast, into, count, type, root);
    case Collective::gather: return call(pmpi.Gather, pmpi.Igather, from, count, type, into, count, type, root);
    case Collective::scatter: return call(pmpi.Scatter, pmpi.Iscatter, from, count, type, into, count, type, root);
    default: return MPI_ERR_INTERN;
  }
}

const NativePart& part_of(const Running& run, const Step& step) {
  return run.program.natives[static_cast<std::size_t>(step.first)];
}

MPI_Comm comm_of(const Running& run, const Step& step) {
  return run.natives[static_cast<std::size_t>(step.first)];
}

}  // namespace

int NativeSteps::carry_out(const Running& run, const Step& step) {
  const NativePart& part = part_of(run, step);
  if (piece_count(part, INT_MAX) == 1) return native_piece(run, part, comm_of(run, step), nullptr);
  int failed = MPI_SUCCESS;
  for (const NativePart& piece : pieces(part, INT_MAX)) {
    const int error = native_piece(run, piece, comm_of(run, step), nullptr);
    if (failed == MPI_SUCCESS) failed = error;
  }
  return failed;
}

int NativeSteps::post(const Running& run, const Step& step) {
  int failed = MPI_SUCCESS;
  MPI_Request* request = run.transport.requests;
  const auto post_one = [&](const NativePart& piece) {
    const int error = native_piece(run, piece, comm_of(run, step), request);
    if (error != MPI_SUCCESS) *request = handles.request_null;
    if (failed == MPI_SUCCESS) failed = error;
    ++request;
  };
  const NativePart& part = part_of(run, step);
  if (piece_count(part, INT_MAX) == 1) {
    post_one(part);
  } else {
    for (const NativePart& piece : pieces(part, INT_MAX)) post_one(piece);
  }
  return failed;
}

}  // namespace starling
