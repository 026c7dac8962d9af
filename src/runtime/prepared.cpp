#include "runtime/prepared.hpp"

#include <algorithm>

#include "runtime/communicator.hpp"
#include "runtime/executor.hpp"
#include "runtime/pmpi.hpp"
#include "runtime/staging.hpp"
#include "runtime/workspace.hpp"

namespace starling {
namespace {

/// Messages of all schedules kept for one candidate; beyond it (many roots, many ranks) they are built again.
constexpr std::size_t most_kept_messages = 1U << 20U;

/// How large the blocks of a call are.
Layout layout_of(const Call& call, const Facts& facts, int blocks) {
  const bool uneven = call.collective == Collective::allgatherv || call.collective == Collective::reduce_scatter;
  if (!uneven) return {blocks, facts.units};
  const std::int64_t unit = reduces(call.collective) ? 1 : type_size(call.recvtype);
  std::vector<std::int64_t> starts{0};
  for (int block = 0; block < blocks; ++block) starts.push_back(starts.back() + (call.recvcounts[block] * unit));
  return Layout(std::move(starts));
}

}  // namespace

Prepared::Instance& Prepared::instance(const Call& call, const Facts& facts, const Communicator& communicator) {
  const int root = rooted(call.collective) ? call.root : 0;
  Layout layout = layout_of(call, facts, bound_.blocks(facts.situation));
  if (last_ == nullptr || last_->root != root || last_->layout.blocks() != layout.blocks()) {
    const auto found = std::find_if(instances_.begin(), instances_.end(), [&](const auto& one) {
      return one->root == root && one->layout.blocks() == layout.blocks();
    });
    if (found != instances_.end()) {
      last_ = found->get();
    } else {
      std::size_t kept = 0;
      for (const auto& one : instances_) kept += one->program.messages.size();
      if (kept > most_kept_messages) instances_.clear();
      Schedule schedule = bound_.schedule({communicator.size(), communicator.rank(), root, layout.blocks()});
      Program program = bind(schedule, layout, call.collective, communicator.rank());
      instances_.push_back(
          std::make_unique<Instance>(Instance{root, std::move(schedule), std::move(layout), std::move(program), {}}));
      last_ = instances_.back().get();
      return *last_;
    }
  }
  if (last_->layout != layout) {
    last_->program = bind(last_->schedule, layout, call.collective, communicator.rank());
    last_->layout = std::move(layout);
  }
  return *last_;
}

bool Prepared::make_ready(Instance& instance, Communicator& communicator) {
  for (std::size_t i = instance.natives.size(); i < instance.program.natives.size(); ++i) {
    const auto comm = communicator.of_group(instance.program.natives[i].group);
    if (!comm) return false;
    instance.natives.push_back(*comm);
  }
  return true;
}

int Prepared::carry_out(const Call& call, const Facts& facts, Communicator& communicator) {
  if (!ready_) {
    const auto work = communicator.work();
    if (!work) {
      refused_ = "the MPI library has no communicator left for it";
      return MPI_SUCCESS;
    }
    work_ = *work;
  }
  Instance& todo = instance(call, facts, communicator);
  const Staging staging(call, todo.layout, communicator.rank(), bound_.algorithm->works_in_place);
  Workspace& workspace = Workspace::mine();
  const std::size_t bytes = staging.workspace_bytes(todo.program);
  char* memory = bytes > 0 ? workspace.take(bytes) : nullptr;
  MPI_Request* requests = workspace.requests(std::max(2, todo.program.most_messages));
  const bool has_memory = requests != nullptr && (bytes == 0 || memory != nullptr);
  const bool has_communicators = todo.natives.size() == todo.program.natives.size() || make_ready(todo, communicator);
  if (!ready_) {
    if (!communicator.all(has_memory && has_communicators)) {
      refused_ = "a rank had no memory or no communicator left for it";
      return MPI_SUCCESS;
    }
    ready_ = true;
  } else if (!has_memory || !has_communicators) {
    // The others are on their way already: there is no other path that all of them would take.
    communicator.give_up("rank has no memory for the buffers of " + bound_.name());
  }

  Buffers buffers;
  int error = staging.begin(todo.program, memory, buffers);
  if (error == MPI_SUCCESS)
    error = execute(todo.program, buffers, staging.unit(), call.op, work_, todo.natives, requests);
  if (error == MPI_SUCCESS) error = staging.end(buffers);
  workspace.done();
  if (error != MPI_SUCCESS) pmpi.Comm_call_errhandler(call.comm, error);
  return error;
}

}  // namespace starling
