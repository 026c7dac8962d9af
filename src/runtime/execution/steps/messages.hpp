#pragma once

#include "runtime/execution/running.hpp"
#include "runtime/mpi/pmpi.hpp"

namespace starling {

/// The steps of messages. Those of one message, or one each way, are MPI's blocking calls: the quickest way there.
template <>
class StepExecutor<Messages> {
 public:
  static int carry_out(const Running& run, const Step& step) {
    const Message* const messages = run.program.messages.data() + step.first;
    switch (step.form_of<Messages>()) {
      case Messages::Form::send: return send(run, messages[0]);
      case Messages::Form::receive: return receive(run, messages[0]);
      case Messages::Form::exchange: return exchange(run, messages[0], messages[1]);
      case Messages::Form::any: return post_and_wait(Running(run), step);
    }
    return MPI_ERR_INTERN;
  }
  /// Posts all messages, whatever fails.
  static int begin(const Running& run, const Step& step);
  static int requests(const Program& /*program*/, const Step& step) { return step.count; }

 private:
  static int send(const Running& run, const Message& message) {
    const Transport& on = run.transport;
    return pmpi.Send(run.at(message.extent()), static_cast<int>(message.data.count), run.unit.type,
                     on.peers[message.peer], on.tag, on.comm);
  }
  static int receive(const Running& run, const Message& message) {
    const Transport& on = run.transport;
    return pmpi.Recv(run.at(message.extent()), static_cast<int>(message.data.count), run.unit.type,
                     on.peers[message.peer], on.tag, on.comm, MPI_STATUS_IGNORE);
  }
  static int exchange(const Running& run, const Message& in, const Message& out) {
    const Transport& on = run.transport;
    return pmpi.Sendrecv(run.at(out.extent()), static_cast<int>(out.data.count), run.unit.type, on.peers[out.peer],
                         on.tag, run.at(in.extent()), static_cast<int>(in.data.count), run.unit.type, on.peers[in.peer],
                         on.tag, on.comm, MPI_STATUS_IGNORE);
  }
  /// Posts them and waits for them. The last message is one of MPI's blocking calls, which spares a request: all others
  /// are posted by then.
  static int post_and_wait(const Running& run, const Step& step);
};

}  // namespace starling
