#include "runtime/execution/executor.hpp"

#include <algorithm>
#include <climits>
#include <cstring>

#include "runtime/mpi/pmpi.hpp"
#include "schedule/native_pieces.hpp"

namespace starling {
namespace {

/// What each step needs, small enough for registers.
struct Running {
  const Buffers& buffers;
  const Unit& unit;
  MPI_Op op;
  const Transport& transport;

  [[nodiscard]] char* at(const Extent& extent) const { return buffers.at(extent, unit.extent); }
  [[nodiscard]] int peer(const Message& message) const { return transport.peers[message.peer]; }
};

int receive(const Running& run, const Message& message, MPI_Request* request) {
  const Transport& on = run.transport;
  if (message.data.count <= INT_MAX)
    return pmpi.Irecv(run.at(message.data), static_cast<int>(message.data.count), run.unit.type, run.peer(message),
                      on.tag, on.comm, request);
  const Typed large(message.data.count, run.unit.type);
  return pmpi.Irecv(run.at(message.data), large.count, large.type, run.peer(message), on.tag, on.comm, request);
}

int send(const Running& run, const Message& message, MPI_Request* request) {
  const Transport& on = run.transport;
  if (message.data.count <= INT_MAX)
    return pmpi.Isend(run.at(message.data), static_cast<int>(message.data.count), run.unit.type, run.peer(message),
                      on.tag, on.comm, request);
  const Typed large(message.data.count, run.unit.type);
  return pmpi.Isend(run.at(message.data), large.count, large.type, run.peer(message), on.tag, on.comm, request);
}

/// Waits for all requests, one after the other: MPI_Waitall has no communicator, so some libraries report its errors to
/// the error handler of MPI_COMM_WORLD.
int wait(const Transport& on, int count) {
  int failed = MPI_SUCCESS;
  for (int i = 0; i < count; ++i) {
    const int error = pmpi.Wait(&on.requests[i], MPI_STATUS_IGNORE);
    if (failed == MPI_SUCCESS) failed = error;
  }
  return failed;
}

/// Posts all messages, even after an error, and waits for them.
int post(const Running& run, const Message* messages, int receives, int sends) {
  int failed = MPI_SUCCESS;
  for (int i = 0; i < receives + sends; ++i) {
    MPI_Request* const request = &run.transport.requests[i];
    const int error = i < receives ? receive(run, messages[i], request) : send(run, messages[i], request);
    if (error == MPI_SUCCESS) continue;
    *request = handles.request_null;
    if (failed == MPI_SUCCESS) failed = error;
  }
  const int error = wait(run.transport, receives + sends);
  return failed == MPI_SUCCESS ? error : failed;
}

/// At most one message each way: MPI's blocking calls are the fastest here.
int exchange(const Running& run, const Message* in, const Message* out) {
  const Transport& on = run.transport;
  if (out == nullptr)
    return pmpi.Recv(run.at(in->data), static_cast<int>(in->data.count), run.unit.type, run.peer(*in), on.tag, on.comm,
                     MPI_STATUS_IGNORE);
  if (in == nullptr)
    return pmpi.Send(run.at(out->data), static_cast<int>(out->data.count), run.unit.type, run.peer(*out), on.tag,
                     on.comm);
  return pmpi.Sendrecv(run.at(out->data), static_cast<int>(out->data.count), run.unit.type, run.peer(*out), on.tag,
                       run.at(in->data), static_cast<int>(in->data.count), run.unit.type, run.peer(*in), on.tag,
                       on.comm, MPI_STATUS_IGNORE);
}

int transfer(const Running& run, const Message* messages, int receives, int sends) {
  if (receives > 1 || sends > 1) return post(run, messages, receives, sends);
  const Message* const in = receives == 1 ? messages : nullptr;
  const Message* const out = sends == 1 ? messages + receives : nullptr;
  const std::int64_t largest = std::max(in != nullptr ? in->data.count : 0, out != nullptr ? out->data.count : 0);
  return largest > INT_MAX ? post(run, messages, receives, sends) : exchange(run, in, out);
}

int combine(const Running& run, const Work& work) {
  for (std::int64_t done = 0; done < work.from.count; done += INT_MAX) {
    const auto now = static_cast<int>(std::min<std::int64_t>(INT_MAX, work.from.count - done));
    const int error = pmpi.Reduce_local(run.at(work.from) + (done * run.unit.extent),
                                        run.at(work.into) + (done * run.unit.extent), now, run.unit.type, run.op);
    if (error != MPI_SUCCESS) return error;
  }
  return MPI_SUCCESS;
}

int perform(const Running& run, const Work& work) {
  if (work.kind == Local::Kind::combine) return combine(run, work);
  return copy_elements(run.at(work.from), run.at(work.into), work.from.count, run.unit);
}

int native_piece(const Running& run, const NativePart& part, MPI_Comm comm) {
  if (part.collective == Collective::barrier) return pmpi.Barrier(comm);
  const void* from = run.at(part.from);
  char* into = run.at(part.into);
  const int members = part.group.size;
  int member = 0;
  pmpi.Comm_rank(comm, &member);
  // What a rank sends or receives; per member, where MPI counts so.
  const std::int64_t block = part.collective == Collective::alltoall ? part.from.count / members
                             : part.collective == Collective::allgather || part.collective == Collective::gather ||
                                     part.collective == Collective::allreduce || part.collective == Collective::reduce
                                 ? part.from.count
                                 : part.into.count;
  const Typed data(block, run.unit.type);
  switch (part.collective) {
    case Collective::allgather:
      // A block that already lies in its place needs MPI_IN_PLACE: buffers must not overlap.
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

/// The MPI library's own collective on a group of ranks.
int native_part(const Running& run, const NativePart& part, MPI_Comm comm) {
  if (!reduces(part.collective) || part.from.count <= INT_MAX) return native_piece(run, part, comm);
  for (const NativePart& piece : pieces(part, INT_MAX))
    if (const int error = native_piece(run, piece, comm); error != MPI_SUCCESS) return error;
  return MPI_SUCCESS;
}

}  // namespace

int execute(const Program& program, const Buffers& buffers, const Unit& unit, MPI_Op op, const Transport& transport,
            std::span<const MPI_Comm> natives) {
  const Running run{buffers, unit, op, transport};
  int failed = MPI_SUCCESS;
  for (const Step& step : program.steps) {
    int error = MPI_SUCCESS;
    if (step.receives + step.sends > 0) {
      error = transfer(run, program.messages.data() + step.messages, step.receives, step.sends);
    } else if (step.native >= 0) {
      const auto index = static_cast<std::size_t>(step.native);
      error = native_part(run, program.natives[index], natives[index]);
    }
    const Work* works = program.works.data() + step.works;
    for (int i = 0; i < step.work_count; ++i)
      if (const int wrong = perform(run, works[i]); error == MPI_SUCCESS) error = wrong;
    if (failed == MPI_SUCCESS) failed = error;
  }
  return failed;
}

}  // namespace starling
