#include "runtime/execution/steps/native_part.hpp"

#include <climits>
#include <cstdint>
#include <memory>
#include <new>

#include "runtime/mpi/features.hpp"
#include "runtime/mpi/pmpi.hpp"
#include "runtime/mpi/unit.hpp"
#include "schedule/native_pieces.hpp"

namespace starling {
namespace {

/// Passes MPI_IN_PLACE if the rank's own data is already at `own`, its place in the other buffer: MPI does not allow
/// buffers that overlap.
template <class Pointer>
void note_in_place(Pointer& mine, const char* own) {
  if (mine == own) mine = static_cast<Pointer>(MPI_IN_PLACE);
}

/// The variant with the members' counts, of what has blocks of different sizes.
int native_uneven(const Running& run, const NativePart& part, MPI_Comm comm, MPI_Request* request) {
  const auto call = [&](auto blocking, auto nonblocking, auto... arguments) {
    return request == nullptr ? blocking(arguments..., comm) : nonblocking(arguments..., comm, request);
  };
  const void* from = run.at(part.from);
  void* into = run.at(part.into);
  int member = 0;
  pmpi.Comm_rank(comm, &member);
  const MPI_Datatype type = run.unit.type;
  const int* const counts = run.program.shares.data() + part.shares;
  const int* const starts = counts + part.group.size();
  const int gives = static_cast<int>(part.from.count);
  const int gets = static_cast<int>(part.into.count);
  const int root = part.root;
  const bool is_root = member == root;
  const auto own = [&](const void* all) { return static_cast<const char*>(all) + (starts[member] * run.unit.extent); };
  switch (part.collective) {
    case Collective::allgather:
      note_in_place(from, own(into));
      return call(pmpi.Allgatherv, pmpi.Iallgatherv, from, gives, type, into, counts, starts, type);
    case Collective::alltoall:  // what a member gives another is as large as what it gets from it
      return call(pmpi.Alltoallv, pmpi.Ialltoallv, from, counts, starts, type, into, counts, starts, type);
    case Collective::gather:
      if (is_root) note_in_place(from, own(into));
      return call(pmpi.Gatherv, pmpi.Igatherv, from, gives, type, into, counts, starts, type, root);
    case Collective::scatter:
      if (is_root) note_in_place(into, own(from));
      return call(pmpi.Scatterv, pmpi.Iscatterv, from, counts, starts, type, into, gets, type, root);
    case Collective::reduce_scatter_block:
      return call(pmpi.Reduce_scatter, pmpi.Ireduce_scatter, from, into, counts, type, run.op);
    default: return MPI_ERR_INTERN;
  }
}

/// A reduce whose root has its data in place: of a copy of them, for MPI libraries that can't.
int reduce_copy(const Running& run, void* data, std::int64_t count, int root, MPI_Comm comm) {
  const Unit::Span span = run.unit.span(count);
  const std::unique_ptr<char[]> memory(new (std::nothrow) char[span.bytes + 1]);
  if (memory == nullptr) return MPI_ERR_NO_MEM;
  char* const copy = memory.get() + span.before;
  if (const int error = copy_elements(data, copy, count, run.unit); error != MPI_SUCCESS) return error;
  const Typed as(count, run.unit.type);
  return pmpi.Reduce(copy, data, as.count, as.type, run.op, root, comm);
}

/// Carries out a collective, or starts it where there is a request for it.
int native_piece(const Running& run, const NativePart& part, MPI_Comm comm, MPI_Request* request) {
  const auto call = [&](auto blocking, auto nonblocking, auto... arguments) {
    return request == nullptr ? blocking(arguments..., comm) : nonblocking(arguments..., comm, request);
  };
  if (part.collective == Collective::barrier) return call(pmpi.Barrier, pmpi.Ibarrier);
  if (part.uneven) return native_uneven(run, part, comm, request);
  const void* from = run.at(part.from);
  void* into = run.at(part.into);
  const int members = part.group.size();
  int member = 0;
  pmpi.Comm_rank(comm, &member);
  // What a rank gives or gets, where MPI counts per member.
  const std::int64_t block = part.collective == Collective::alltoall ? part.from.count / members
                             : part.collective == Collective::allgather || part.collective == Collective::gather ||
                                     (reduces(part.collective) && divides_a_vector(part.collective))
                                 ? part.from.count
                                 : part.into.count;
  const Typed data(block, run.unit.type);
  const int count = data.count;
  const MPI_Datatype type = data.type;
  const int root = part.root;
  const bool is_root = member == root;
  const auto own = [&](const void* all) { return static_cast<const char*>(all) + (member * block * run.unit.extent); };
  switch (part.collective) {
    case Collective::allgather:
      note_in_place(from, own(into));
      return call(pmpi.Allgather, pmpi.Iallgather, from, count, type, into, count, type);
    case Collective::alltoall: return call(pmpi.Alltoall, pmpi.Ialltoall, from, count, type, into, count, type);
    case Collective::allreduce:
      return call(pmpi.Allreduce, pmpi.Iallreduce, from == into ? MPI_IN_PLACE : from, into, count, type, run.op);
    case Collective::reduce:
      if (is_root && from == into) {
        if (!STARLING_REDUCES_IN_PLACE && request == nullptr) return reduce_copy(run, into, block, root, comm);
        from = MPI_IN_PLACE;
      }
      return call(pmpi.Reduce, pmpi.Ireduce, from, into, count, type, run.op, root);
    case Collective::scan:
      return call(pmpi.Scan, pmpi.Iscan, from == into ? MPI_IN_PLACE : from, into, count, type, run.op);
    case Collective::exscan:
      return call(pmpi.Exscan, pmpi.Iexscan, from == into ? MPI_IN_PLACE : from, into, count, type, run.op);
    case Collective::reduce_scatter_block:
      return call(pmpi.Reduce_scatter_block, pmpi.Ireduce_scatter_block, from, into, count, type, run.op);
    case Collective::bcast: return call(pmpi.Bcast, pmpi.Ibcast, into, count, type, root);
    case Collective::gather:
      if (is_root) note_in_place(from, own(into));
      return call(pmpi.Gather, pmpi.Igather, from, count, type, into, count, type, root);
    case Collective::scatter:
      if (is_root) note_in_place(into, own(from));
      return call(pmpi.Scatter, pmpi.Iscatter, from, count, type, into, count, type, root);
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

int StepExecutor<SubCollective>::carry_out(const Running& run, const Step& step) {
  const NativePart& part = part_of(run, step);
  if (piece_count(part, INT_MAX) == 1) return native_piece(run, part, comm_of(run, step), nullptr);
  int failed = MPI_SUCCESS;
  for (const NativePart& piece : pieces(part, INT_MAX)) {
    const int error = native_piece(run, piece, comm_of(run, step), nullptr);
    if (failed == MPI_SUCCESS) failed = error;
  }
  return failed;
}

int StepExecutor<SubCollective>::begin(const Running& run, const Step& step) {
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

int StepExecutor<SubCollective>::requests(const Program& program, const Step& step) {
  return static_cast<int>(piece_count(program.natives[static_cast<std::size_t>(step.first)], INT_MAX));
}

}  // namespace starling
