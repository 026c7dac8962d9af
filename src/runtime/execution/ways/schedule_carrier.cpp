#include "runtime/execution/ways/schedule_carrier.hpp"

#include <algorithm>

namespace starling {
namespace {

/// Whether block sizes may change between calls of one context.
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
  resources.plans_dropped(*this);
  for (const RankSet& group : groups_) resources.groups().leave(group);
  groups_.clear();
  operation_.staging() = Staging();
  ready_ = false;
}

/// The plan for a call, with `operation_` set up for it.
Plan& ScheduleCarrier::plan_for(const Call& call, const Facts& facts, Resources& resources) {
  Staging& staging = operation_.staging();
  if (plans_.latest() != nullptr && latest_.matches(call)) {
    staging.refresh(call, facts);
    return *plans_.latest();
  }
  const Team team = bound_.team(facts.situation, resources.rank(), rooted(call.collective) ? call.root : 0);
  staging.set_up(call, facts, team.blocks(), team.rank, bound_.works_in_place());
  bool built = false;
  Plan& plan = plans_.plan(team, staging.send_layout(), staging.recv_layout(),
                           changes_layout(facts.key, call.collective), built);
  if (built) resources.plan_made(*this);
  latest_.keep(call, resources.rank());
  return plan;
}

/// Whether this rank is in all groups that the latest plan needs.
bool ScheduleCarrier::join_groups(Resources& resources) {
  // A rank that gets no communicator for one group still joins its other groups, whose ranks wait for it.
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

/// Whether every rank is ready. The ranks agree on it before and after they create communicators.
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
    if (!make_ready(plan, resources, has_memory)) {
      Workspace::mine().done();
      return {MPI_SUCCESS, false, &refused_};
    }
  } else if (!has_memory || (plan.natives.size() != plan.program.natives.size() && !join_groups(resources))) {
    // The other ranks have already started the call: all can't change to another way any more.
    resources.abort_job("rank has no memory or no communicator for " + bound_.name());
  }
  operation_.start(plan, *resources.channel(), call.op);
  return {operation_.finish(), false, nullptr};
}

}  // namespace starling
