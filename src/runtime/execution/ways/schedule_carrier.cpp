#include "runtime/execution/ways/schedule_carrier.hpp"

#include <algorithm>

namespace starling {
namespace {

/// Whether the sizes of blocks may change from call to call of one context.
bool changes_layout(const CallKey& key, Collective collective) {
  return key.bucket || key.bytes < 0 || traits_of(collective).sizes == Sizes::known;
}

}  // namespace

void ScheduleCarrier::drop_plans() {
  plans_.drop();
  latest_.forget();
}

void ScheduleCarrier::release(Resources& resources) {
  drop_plans();
  resources.keeps_no_more(*this);
  for (const RankSet& group : groups_) resources.groups().leave(group);
  groups_.clear();
  operation_.staging() = Staging();
  ready_ = false;
}

/// The plan for a call, with `operation_` set up for it.
Plan& ScheduleCarrier::plan_for(const Call& call, const Facts& facts, Resources& resources) {
  Staging& staging = operation_.staging();
  if (plans_.latest() != nullptr && latest_.is_like(call)) {
    staging.refresh(call, facts);
    return *plans_.latest();
  }
  const Team team = bound_.team(facts.situation, resources.rank(), rooted(call.collective) ? call.root : 0);
  staging.look_at(call, facts, team.blocks(), team.rank, bound_.works_in_place());
  bool built = false;
  Plan& plan = plans_.plan(team, staging.send_layout(), staging.recv_layout(),
                           changes_layout(facts.key, call.collective), built);
  if (built) resources.keeps(*this);
  latest_.keep(call, resources.rank());
  return plan;
}

/// Whether this rank is in all groups that the latest plan needs.
bool ScheduleCarrier::join_groups(Resources& resources) {
  // A rank whose row gets none takes part in its column all the same: the others there don't know.
  bool has_all = true;
  std::vector<MPI_Comm> joined;
  Plan& plan = *plans_.latest();
  for (const auto& part : plan.program.natives) {
    const bool is_in = std::find(groups_.begin(), groups_.end(), part.group) != groups_.end();
    const auto comm = is_in ? resources.groups().of(part.group) : resources.join(part.group);
    if (!is_in) groups_.push_back(part.group);
    has_all = has_all && comm;
    if (comm) joined.push_back(*comm);
  }
  if (has_all) plan.natives = std::move(joined);
  return has_all;
}

/// Whether every rank can: agreed by all, before and after communicators are made.
bool ScheduleCarrier::make_ready(const Plan& plan, Resources& resources, bool has_memory) {
  std::vector<RankSet> groups;  // a schedule with MPI barriers has many parts of one group
  for (const auto& part : plan.program.natives)
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

Carrier::Outcome ScheduleCarrier::carry_out(const Call& call, const Facts& facts, Resources& resources) {
  Plan& plan = plan_for(call, facts, resources);
  const bool has_memory = operation_.reserve(plan, Workspace::mine());
  if (!ready_) {
    if (!make_ready(plan, resources, has_memory)) return {MPI_SUCCESS, false, &refused_};
  } else if (!has_memory || (plan.natives.size() != plan.program.natives.size() && !join_groups(resources))) {
    // The others are on their way already: there is no other path that all of them would take.
    resources.give_up("rank has no memory or no communicator for " + bound_.name());
  }
  operation_.start(plan, *resources.channel(), call.op);
  return {operation_.finish(), false, nullptr};
}

}  // namespace starling
