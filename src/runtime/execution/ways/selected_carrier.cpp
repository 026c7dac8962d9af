#include "runtime/execution/ways/selected_carrier.hpp"

#include "runtime/mpi/clock.hpp"
#include "runtime/mpi/pmpi.hpp"
#include "runtime/mpi/workspace.hpp"
#include "schedule/program.hpp"

namespace starling {
namespace {

RankSet all_ranks(const Resources& resources) {
  return RankSet::consecutive(0, resources.size());
}

/// Whether a call is better not made with the application's own arguments.
bool is_staged(const Call& call) {
  const Traits& has = traits_of(call.collective);
  if (has.reduces) return has.recv == Holds::block && call.sendbuf == MPI_IN_PLACE;
  return has.recv != Holds::nothing && has.sizes == Sizes::alike;
}

}  // namespace

/// Of the communicator that it needs.
int SelectedCarrier::number() const {
  return library_algorithms().act_at_creation ? way_.algorithm->communicator : Groups::ordinary;
}

void SelectedCarrier::leave(Resources& resources) {
  resources.groups().leave(all_ranks(resources), number());
  comm_.reset();
}

void SelectedCarrier::release(Resources& resources) {
  if (comm_) leave(resources);
}

/// Whether every rank is ready. The ranks agree on it before and after they create the communicator.
bool SelectedCarrier::make_ready(Resources& resources, double& setup_s) {
  const double start = Clock::now();
  Channel& channel = *resources.channel();
  if (!library_algorithms().act_at_creation) selection_ = Selection::of(way_.algorithm->settings);
  const bool has_variables = library_algorithms().act_at_creation || selection_;
  const bool is_there = resources.groups().has(all_ranks(resources), number());
  if (!channel.all(has_variables && Groups::may_make(is_there ? 0 : 1))) {
    refused_ = "a rank had as many communicators as it may make";
    return false;
  }
  comm_ = resources.join(all_ranks(resources), number());
  const bool all_have_it = channel.all(comm_.has_value());
  setup_s = Clock::now() - start;
  if (all_have_it) return true;
  refused_ = "the MPI library has no communicator left for it";
  leave(resources);
  return false;
}

int SelectedCarrier::select_and_call(const Call& call) {
  if (!selection_) return call.native(call);
  const Selection::Switch selected(*selection_);
  return call.native(call);
}

/// Moves data with the same counts of bytes on all ranks: these may describe the same data by different datatypes, and
/// some algorithms of Open MPI derive from a rank's own how many messages there are. Reduces data that is in place from
/// a copy: MPICH 4 copies parts of it onto each other.
int SelectedCarrier::call_staged(const Call& call, const Facts& facts, Resources& resources) {
  const Traits& has = traits_of(call.collective);
  const bool moves = !has.reduces;
  if (latest_.matches(call)) {
    staging_.refresh(call, facts);
  } else {
    const bool works_in_place = moves;
    const int blocks = divides_a_vector(call.collective) ? 1 : resources.size();
    staging_.set_up(call, facts, blocks, resources.rank(), works_in_place);
    latest_.keep(call, resources.rank());
  }
  const Program nothing_else{};
  const std::size_t bytes = staging_.workspace_bytes(nothing_else);
  Workspace& workspace = Workspace::mine();
  char* const memory = bytes > 0 ? workspace.take(bytes) : nullptr;
  // The other ranks may have started the call: all can't change to another way any more.
  if (bytes > 0 && memory == nullptr) resources.abort_job("rank has no memory for " + way_.name());
  Buffers buffers;
  int error = staging_.begin(nothing_else, memory, buffers);
  Call ours = call;
  ours.comm = *comm_;
  ours.recvbuf = buffers.base[static_cast<std::size_t>(Buffer::recv)];
  // In a scatter the root's receive buffer may be MPI_IN_PLACE. It is staged then, and the root sends to itself too.
  if (!moves || call.sendbuf != MPI_IN_PLACE || has.root == Root::gives)
    ours.sendbuf = buffers.base[static_cast<std::size_t>(Buffer::send)];
  const Typed block(moves ? facts.situation.bytes : 0, handles.byte);
  if (moves) {
    ours.sendcount = ours.recvcount = block.count;
    ours.sendtype = ours.recvtype = block.type;
  }
  // Even after an error: the other ranks wait for this one.
  const int failed = select_and_call(ours);
  if (error == MPI_SUCCESS) error = failed;
  if (error == MPI_SUCCESS) error = staging_.end(buffers);
  workspace.done();
  return error;
}

Carrier::Outcome SelectedCarrier::carry_out(const Call& call, const Facts& facts, Resources& resources) {
  double setup_s = 0;
  if (!comm_ && !make_ready(resources, setup_s)) return {MPI_SUCCESS, false, &refused_, setup_s};
  int error = MPI_SUCCESS;
  if (is_staged(call)) {
    error = call_staged(call, facts, resources);
  } else {
    Call ours = call;
    ours.comm = *comm_;
    error = select_and_call(ours);
  }
  // The application's error handler may free the communicator and this object: no member is used after it.
  if (error != MPI_SUCCESS) pmpi.Comm_call_errhandler(call.comm, error);
  return {error, true, nullptr, setup_s};
}

}  // namespace starling
