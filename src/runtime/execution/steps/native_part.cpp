#include "runtime/execution/steps/native_part.hpp"

#include <climits>

#include "runtime/mpi/pmpi.hpp"
#include "schedule/native_pieces.hpp"

namespace starling {
namespace {

int native_piece(const Running& run, const NativePart& part, MPI_Comm comm) {
  if (part.collective == Collective::barrier) return pmpi.Barrier(comm);
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
  switch (part.collective) {
    case Collective::allgather:
      // A block that lies in its place already is MPI's in-place case: buffers must not overlap otherwise.
      if (from == into + (member * block * run.unit.extent)) from = MPI_IN_PLACE;
      return pmpi.Allgather(from, data.count, data.type, into, data.count, data.type, comm);
    case Collective::alltoall: return pmpi.Alltoall(from, data.count, data.type, into, data.count, data.type, comm);
    case Collective::allreduce:
      return pmpi.Allreduce(from == into ? MPI_IN_PLACE : from, into, data.count, data.type, run.op, comm);
    case Collective::reduce: return pmpi.Reduce(from, into, data.count, data.type, run.op, part.root, comm);
    case Collective::reduce_scatter_block:
      return pmpi.Reduce_scatter_block(from, into, data.count, data.type, run.op, comm);
    case Collective::bcast: return pmpi.Bcast(into, data.count, data.type, part.root, comm);
    case Collective::gather:
      return pmpi.Gather(from, data.count, data.type, into, data.count, data.type, part.root, comm);
    case Collective::scatter:
      return pmpi.Scatter(from, data.count, data.type, into, data.count, data.type, part.root, comm);
    default: return MPI_ERR_INTERN;
  }
}

}  // namespace

int native_part(const Running& run, const Step& step) {
  const auto index = static_cast<std::size_t>(step.first);
  const NativePart& part = run.program.natives[index];
  const MPI_Comm comm = run.natives[index];
  if (!reduces(part.collective) || part.from.count <= INT_MAX) return native_piece(run, part, comm);
  for (const NativePart& piece : pieces(part, INT_MAX))
    if (const int error = native_piece(run, piece, comm); error != MPI_SUCCESS) return error;
  return MPI_SUCCESS;
}

}  // namespace starling
