#include "runtime/execution/prepared.hpp"

#include <algorithm>

#include "runtime/execution/executor.hpp"
#include "runtime/execution/resources.hpp"
#include "runtime/mpi/process.hpp"
#include "runtime/mpi/workspace.hpp"

namespace starling {
namespace {

/// Bytes of all schedules kept for one candidate; beyond it (many roots, many ranks) they are built again.
constexpr std::size_t most_kept_bytes = std::size_t{8} << 20U;

/// Whether the sizes of blocks may change from call to call of one context.
bool changes_layout(const CallKey& key, Collective collective) {
  return key.bucket || key.bytes < 0 || traits_of(collective).sizes == Sizes::known;
}

}  // namespace

std::size_t Prepared::kept_bytes() const {
  std::size_t bytes = 0;
  for (const auto& one : instances_) {
    bytes += one->program.bytes() + one->send.bytes() + one->recv.bytes();
    if (one->schedule) bytes += one->schedule->bytes();
  }
  return bytes;
}

void Prepared::drop_schedules() {
  instances_.clear();
  last_ = nullptr;
  latest_.forget();
}

void Prepared::release(Resources& resources) {
  drop_schedules();
  resources.keeps_no_more(*this);
  for (const RankSet& group : groups_) resources.groups().leave(group);
  groups_.clear();
  staging_ = Staging();
  ready_ = false;
}

/// Makes `last_` the instance for `team` and the layouts of the call.
void Prepared::instance(const Team& team, Resources& resources) {
  const Layout& send = staging_.send_layout();
  const Layout& recv = staging_.recv_layout();
  if (last_ == nullptr || last_->team != team) {
    const auto found =
        std::find_if(instances_.begin(), instances_.end(), [&](const auto& one) { return one->team == team; });
    last_ = found == instances_.end() ? nullptr : found->get();
  }
  const bool fits = last_ != nullptr && last_->recv == recv && last_->send == send;
  if (fits) return;
  if (last_ != nullptr && last_->schedule) {
    bind(*last_->schedule, send, recv, team.collective, team.rank, last_->program);
    last_->send = send;
    last_->recv = recv;
    return;
  }
  const bool again = last_ != nullptr;
  if (!again) {
    if (kept_bytes() > most_kept_bytes) drop_schedules();
    last_ = instances_.emplace_back(std::make_unique<Instance>(Instance{team, {}, send, recv, {}, {}})).get();
  }
  FlatSchedule schedule(bound_.schedule(team));
  bind(schedule, send, recv, team.collective, team.rank, last_->program);
  last_->send = send;
  last_->recv = recv;
  // It is kept where another layout will want it, and where one did already.
  if (again || keeps_schedules_) last_->schedule = std::move(schedule);
  resources.keeps(*this);
}

/// Whether this rank is in all groups that the call needs.
bool Prepared::join_groups(Resources& resources) {
  // A rank whose row gets none takes part in its column all the same: the others there don't know.
  bool has_all = true;
  std::vector<MPI_Comm> joined;
  for (const auto& part : last_->program.natives) {
    const bool is_in = std::find(groups_.begin(), groups_.end(), part.group) != groups_.end();
    const auto comm = is_in ? resources.groups().of(part.group) : resources.join(part.group);
    if (!is_in) groups_.push_back(part.group);
    has_all = has_all && comm;
    if (comm) joined.push_back(*comm);
  }
  if (has_all) last_->natives = std::move(joined);
  return has_all;
}

/// Whether every rank can: agreed by all, before and after communicators are made.
bool Prepared::make_ready(Resources& resources, bool has_memory) {
  std::vector<RankSet> groups;  // a schedule with MPI barriers has many parts of one group
  for (const auto& part : last_->program.natives)
    if (!resources.groups().has(part.group) && std::find(groups.begin(), groups.end(), part.group) == groups.end())
      groups.push_back(part.group);
  Channel& channel = *resources.channel();
  if (!channel.all(has_memory)) {
    refused_ = "a rank had no memory left for it";
  } else if (!channel.all(Groups::may_make(groups.size()))) {
    refused_ = "a rank had as many communicators as it may make";
  } else if (!channel.all(join_groups(resources))) {
    refused_ = "the MPI library has no communicator left for it";
  } else {
    ready_ = true;
    return true;
  }
  release(resources);
  return false;
}

int Prepared::carry_out(const Call& call, const Facts& facts, Resources& resources) {
  if (last_ != nullptr && latest_.is_like(call)) {
    staging_.look_again_at(call, facts);
  } else {
    const Team team = bound_.team(facts.situation, resources.rank(), rooted(call.collective) ? call.root : 0);
    staging_.look_at(call, facts, team.blocks, team.rank, bound_.works_in_place());
    keeps_schedules_ = changes_layout(facts.key, call.collective);
    instance(team, resources);
    latest_.keep(call, resources.rank());
  }
  Workspace& workspace = Workspace::mine();
  const std::size_t bytes = staging_.workspace_bytes(last_->program);
  char* memory = bytes > 0 ? workspace.take(bytes) : nullptr;
  const bool has_requests = workspace.requests(std::max(2, last_->program.most_messages));
  const bool has_memory = has_requests && (bytes == 0 || memory != nullptr);
  if (!ready_) {
    if (!make_ready(resources, has_memory)) return MPI_SUCCESS;
  } else if (!has_memory || (last_->natives.size() != last_->program.natives.size() && !join_groups(resources))) {
    // The others are on their way already: there is no other path that all of them would take.
    resources.give_up("rank has no memory or no communicator for " + bound_.name());
  }

  Instance& todo = *last_;
  Channel& channel = *resources.channel();
  const Wires wires{process().world, channel.peers(), channel.next_tag(), workspace.requests()};
  Buffers buffers;
  int error = staging_.begin(todo.program, memory, buffers);
  // Others wait for this rank's messages, whatever they hold.
  const int failed = execute(todo.program, buffers, staging_.unit(), call.op, wires, todo.natives);
  if (error == MPI_SUCCESS) error = failed;
  if (error == MPI_SUCCESS) {
    error = staging_.end(buffers);
  } else {
    channel.spoil();
  }
  workspace.done();
  return error;
}

}  // namespace starling
