#include "runtime/execution/steps/messages.hpp"

#include <climits>

namespace starling {
namespace {

int post_receive(const Running& run, const Message& message, MPI_Request* request) {
  const Wires& on = run.wires;
  if (message.data.count <= INT_MAX)
    return pmpi.Irecv(run.at(message.data), static_cast<int>(message.data.count), run.unit.type, on.peers[message.peer],
                      on.tag, on.comm, request);
  const Typed large(message.data.count, run.unit.type);
  return pmpi.Irecv(run.at(message.data), large.count, large.type, on.peers[message.peer], on.tag, on.comm, request);
}

int post_send(const Running& run, const Message& message, MPI_Request* request) {
  const Wires& on = run.wires;
  if (message.data.count <= INT_MAX)
    return pmpi.Isend(run.at(message.data), static_cast<int>(message.data.count), run.unit.type, on.peers[message.peer],
                      on.tag, on.comm, request);
  const Typed large(message.data.count, run.unit.type);
  return pmpi.Isend(run.at(message.data), large.count, large.type, on.peers[message.peer], on.tag, on.comm, request);
}

}  // namespace

int MessageSteps::post(const Running& run, const Step& step) {
  const Message* message = run.program.messages.data() + step.first;
  MPI_Request* request = run.wires.requests;
  int failed = MPI_SUCCESS;
  const auto post_with = [&](auto post_one, std::int32_t count) {
    for (const Message* const end = message + count; message != end; ++message, ++request) {
      const int error = post_one(run, *message, request);
      if (error == MPI_SUCCESS) continue;
      *request = handles.request_null;
      if (failed == MPI_SUCCESS) failed = error;
    }
  };
  post_with(post_receive, step.receives());
  post_with(post_send, step.sends);
  return failed;
}

/// One after the other: MPI_Waitall has no communicator, and some libraries tell an error in it to the error handler of
/// MPI_COMM_WORLD.
int MessageSteps::wait(const Running& run, const Step& step) {
  int failed = MPI_SUCCESS;
  MPI_Request* const requests = run.wires.requests;
  for (std::int32_t i = 0; i < step.count; ++i) {
    const int error = pmpi.Wait(&requests[i], MPI_STATUS_IGNORE);
    if (failed == MPI_SUCCESS) failed = error;
  }
  return failed;
}

}  // namespace starling
