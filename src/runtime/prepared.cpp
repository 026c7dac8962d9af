#include "runtime/prepared.hpp"

#include <algorithm>

#include "runtime/communicator.hpp"
#include "runtime/executor.hpp"
#include "runtime/pmpi.hpp"
#include "runtime/workspace.hpp"

namespace starling {
namespace {

/// Messages of all schedules kept for one candidate; beyond it (many roots, many ranks) they are built again.
constexpr std::size_t most_kept_messages = 1U << 20U;

}  // namespace

Prepared::Instance& Prepared::instance(const Team& team) {
  const Layout& send = staging_.send_layout();
  const Layout& recv = staging_.recv_layout();
  const auto serves = [&](const Instance& one) { return one.team == team; };
  if (last_ == nullptr || !serves(*last_)) {
    const auto found =
        std::find_if(instances_.begin(), instances_.end(), [&](const auto& one) { return serves(*one); });
    if (found != instances_.end()) {
      last_ = found->get();
    } else {
      std::size_t kept = 0;
      for (const auto& one : instances_) kept += one->program.messages.size();
      if (kept > most_kept_messages) instances_.clear();
      Schedule schedule = bound_.schedule(team);
      Program program = bind(schedule, send, recv, team.collective, team.rank);
      instances_.push_back(
          std::make_unique<Instance>(Instance{team, std::move(schedule), send, recv, std::move(program), {}}));
      last_ = instances_.back().get();
      return *last_;
    }
  }
  if (last_->recv != recv || last_->send != send) {
    last_->program = bind(last_->schedule, send, recv, team.collective, team.rank);
    last_->send = send;
    last_->recv = recv;
  }
  return *last_;
}

bool Prepared::make_ready(Instance& instance, Communicator& communicator) {
  // A rank whose row gets none takes part in its column all the same: the others there don't know.
  bool has_all = true;
  std::vector<MPI_Comm> made;
  for (const auto& part : instance.program.natives) {
    const auto comm = communicator.of_group(part.group);
    has_all = has_all && comm;
    if (comm) made.push_back(*comm);
  }
  if (has_all) instance.natives = std::move(made);
  return has_all;
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
  if (latest_.is_like(call)) {
    staging_.look_again_at(call, facts);
  } else {
    const Team team = bound_.team(facts.situation, communicator.rank(), rooted(call.collective) ? call.root : 0);
    staging_.look_at(call, facts, team.blocks, team.rank, bound_.works_in_place());
    last_ = &instance(team);
    latest_.keep(call, communicator.rank());
  }
  Instance& todo = *last_;
  Workspace& workspace = Workspace::mine();
  const std::size_t bytes = staging_.workspace_bytes(todo.program);
  char* memory = bytes > 0 ? workspace.take(bytes) : nullptr;
  MPI_Request* requests = workspace.requests(std::max(2, todo.program.most_messages));
  const bool has_memory = requests != nullptr && (bytes == 0 || memory != nullptr);
  const std::size_t groups = communicator.groups();
  const bool has_communicators = todo.natives.size() == todo.program.natives.size() || make_ready(todo, communicator);
  if (!ready_) {
    if (!communicator.all(has_memory && has_communicators)) {
      refused_ = "a rank had no memory or no communicator left for it";
      communicator.give_back_groups(groups);
      todo.natives.clear();
      return MPI_SUCCESS;
    }
    ready_ = true;
  } else if (!has_memory || !has_communicators) {
    // The others are on their way already: there is no other path that all of them would take.
    communicator.give_up("rank has no memory for the buffers of " + bound_.name());
  }

  Buffers buffers;
  int error = staging_.begin(todo.program, memory, buffers);
  if (error == MPI_SUCCESS)
    error = execute(todo.program, buffers, staging_.unit(), call.op, work_, todo.natives, requests);
  if (error == MPI_SUCCESS) error = staging_.end(buffers);
  workspace.done();
  if (error != MPI_SUCCESS) pmpi.Comm_call_errhandler(call.comm, error);
  return error;
}

}  // namespace starling
