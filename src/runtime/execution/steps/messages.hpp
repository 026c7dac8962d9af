#pragma once

#include "runtime/execution/running.hpp"
#include "runtime/mpi/pmpi.hpp"

namespace starling {

/// The steps of messages. Those of one message, or one each way, are MPI's blocking calls: the quickest way there.
class MessageSteps {
 public:
  static int send(const Running& run, const Message& message) {
    const Transport& on = run.transport;
    return pmpi.Send(run.at(message.data), static_cast<int>(message.data.count), run.unit.type, on.peers[message.peer],
                     on.tag, on.comm);
  }
  static int receive(const Running& run, const Message& message) {
    const Transport& on = run.transport;
    return pmpi.Recv(run.at(message.data), static_cast<int>(message.data.count), run.unit.type, on.peers[message.peer],
                     on.tag, on.comm, MPI_STATUS_IGNORE);
  }
  static int exchange(const Running& run, const Message& in, const Message& out) {
    const Transport& on = run.transport;
    return pmpi.Sendrecv(run.at(out.data), static_cast<int>(out.data.count), run.unit.type, on.peers[out.peer], on.tag,
                         run.at(in.data), static_cast<int>(in.data.count), run.unit.type, on.peers[in.peer], on.tag,
                         on.comm, MPI_STATUS_IGNORE);
  }
  /// Posts all messages of a step, whatever fails.
  static int post(const Running& run, const Step& step);
  /// Posts them and waits for them. The last message is one of MPI's blocking calls, which spares a request: all others
  /// are posted by then.
  static int post_and_wait(const Running& run, const Step& step);
};

}  // namespace starling
