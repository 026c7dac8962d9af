#include "runtime/execution/ways/selected_carrier.hpp"

#include "runtime/mpi/pmpi.hpp"

namespace starling {
namespace {

RankSet all_ranks(const Resources& resources) {
  return RankSet::consecutive(0, resources.size());
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
bool SelectedCarrier::make_ready(Resources& resources) {
  Channel& channel = *resources.channel();
  if (!library_algorithms().act_at_creation) selection_ = Selection::of(way_.algorithm->settings);
  const bool has_variables = library_algorithms().act_at_creation || selection_;
  if (!channel.all(has_variables && Groups::may_make(1))) {
    refused_ = "a rank had as many communicators as it may make";
    return false;
  }
  comm_ = resources.join(all_ranks(resources), number());
  if (channel.all(comm_.has_value())) return true;
  refused_ = "the MPI library has no communicator left for it";
  leave(resources);
  return false;
}

Carrier::Outcome SelectedCarrier::carry_out(const Call& call, const Facts& /*facts*/, Resources& resources) {
  if (!comm_ && !make_ready(resources)) return {MPI_SUCCESS, false, &refused_};
  Call ours = call;
  ours.comm = *comm_;
  int error = MPI_SUCCESS;
  if (selection_) {
    const Selection::Switch selected(*selection_);
    error = ours.native(ours);
  } else {
    error = ours.native(ours);
  }
  // The application's error handler may free the communicator and this object: no member is used after it.
  if (error != MPI_SUCCESS) pmpi.Comm_call_errhandler(call.comm, error);
  return {error, true, nullptr};
}

}  // namespace starling
