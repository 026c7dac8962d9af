#include "runtime/execution/steps/messages.hpp"

#include <array>
#include <climits>

namespace starling {
namespace {

int post_receive(const Running& run, const Message& message, MPI_Request* request) {
  const Transport& on = run.transport;
  if (message.data.count <= INT_MAX)
    return pmpi.Irecv(run.at(message.extent()), static_cast<int>(message.data.count), run.unit.type,
                      on.peers[message.peer], on.tag, on.comm, request);
  const Typed large(message.data.count, run.unit.type);
  return pmpi.Irecv(run.at(message.extent()), large.count, large.type, on.peers[message.peer], on.tag, on.comm,
                    request);
}

int post_send(const Running& run, const Message& message, MPI_Request* request) {
  const Transport& on = run.transport;
  if (message.data.count <= INT_MAX)
    return pmpi.Isend(run.at(message.extent()), static_cast<int>(message.data.count), run.unit.type,
                      on.peers[message.peer], on.tag, on.comm, request);
  const Typed large(message.data.count, run.unit.type);
  return pmpi.Isend(run.at(message.extent()), large.count, large.type, on.peers[message.peer], on.tag, on.comm,
                    request);
}

/// Posts the first `receives` and `sends` of a step's messages, whatever fails.
int post_some(const Running& run, const Step& step, std::int32_t receives, std::int32_t sends) {
  const Message* message = run.program.messages.data() + step.first;
  MPI_Request* request = run.transport.requests;
  int failed = MPI_SUCCESS;
  const auto post_with = [&](auto post_one, std::int32_t count) {
    for (const Message* const end = message + count; message != end; ++message, ++request) {
      const int error = post_one(run, *message, request);
      if (error == MPI_SUCCESS) continue;
      *request = handles.request_null;
      if (failed == MPI_SUCCESS) failed = error;
    }
  };
  post_with(post_receive, receives);
  post_with(post_send, sends);
  return failed;
}

/// Waits for the first `count` requests, one after the other: MPI_Waitall has no communicator, and some libraries tell
/// an error in it to the error handler of MPI_COMM_WORLD.
int wait_for(const Running& run, std::int32_t count) {
  int failed = MPI_SUCCESS;
  MPI_Request* const requests = run.transport.requests;
  for (std::int32_t i = 0; i < count; ++i) {
    const int error = pmpi.Wait(&requests[i], MPI_STATUS_IGNORE);
    if (failed == MPI_SUCCESS) failed = error;
  }
  return failed;
}

}  // namespace

int StepExecutor<Messages>::begin(const Running& run, const Step& step) {
  return post_some(run, step, step.receives(), step.sends);
}

int StepExecutor<Messages>::post_and_wait(const Running& run, const Step& step) {
  const Message& last = run.program.messages[static_cast<std::size_t>(step.first + step.count - 1)];
  const bool blocks = last.data.count <= INT_MAX;
  const bool sends_last = step.sends > 0;
  const std::int32_t fewer = blocks ? 1 : 0;
  const std::array errors{
      post_some(run, step, step.receives() - (sends_last ? 0 : fewer), step.sends - (sends_last ? fewer : 0)),
      !blocks      ? MPI_SUCCESS
      : sends_last ? send(run, last)
                   : receive(run, last),
      wait_for(run, step.count - fewer)};
  for (const int error : errors)
    if (error != MPI_SUCCESS) return error;
  return MPI_SUCCESS;
}

}  // namespace starling
