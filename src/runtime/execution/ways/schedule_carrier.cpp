#include "runtime/execution/ways/schedule_carrier.hpp"

#include <algorithm>
#include <utility>

#include "runtime/mpi/clock.hpp"
#include "runtime/mpi/features.hpp"

namespace starling {
namespace {

/// Whether block sizes may change between calls of one context.
bool changes_layout(const CallKey& key, Collective collective) {
  return key.bucket || key.bytes < 0 || traits_of(collective).sizes == Sizes::known;
}

}  // namespace

void ScheduleCarrier::drop_plans() {
  if (!working_) return;
  working_->plans.drop();
  if (working_->sizes) working_->sizes->plans().drop();
  working_->latest.forget();
  working_->alike = 0;
}

std::size_t ScheduleCarrier::kept_bytes() const {
  if (!working_) return 0;
  return working_->plans.bytes() + (working_->sizes ? working_->sizes->plans().bytes() : 0);
}

/// Where calls have several roots, `wake` would make the plan of one of them, and the others in calls that are timed.
bool ScheduleCarrier::rest(Resources& resources) {
  if (working_ && !(working_->plans.may_rest() && (!working_->sizes || working_->sizes->plans().may_rest())))
    return false;
  working_.reset();
  resources.plans_dropped(*this);
  return ready_ && needs_no_groups_ && !has_segment_;
}

void ScheduleCarrier::release(Resources& resources) {
  drop_plans();
  resources.plans_dropped(*this);
  for (const RankSet& group : groups_) resources.groups().leave(group);
  groups_.clear();
  resources.groups_left(*this);
  if (std::exchange(has_segment_, false)) resources.leave_segment();
  if (working_) working_->operation.staging() = Staging();
  if (working_) working_->sizes.reset();
  ready_ = false;
}

/// Sets the operation up for a call that is unlike the latest one.
[[gnu::noinline]] void ScheduleCarrier::set_up(const Call& call, const Facts& facts, Resources& resources) {
  if (!working_) working_ = std::make_unique<Working>(bound_);
  Staging& staging = working_->operation.staging();
  const Team team = bound_.team(facts.situation, resources.rank(), rooted(call.collective) ? call.root : 0);
  staging.set_up(call, facts, team.blocks(), team.rank, bound_.works_in_place(), bound_.learns_sizes());
  bool built = false;
  if (bound_.learns_sizes()) {
    if (!working_->sizes) working_->sizes = std::make_unique<SizeExchange>(bound_);
    working_->sizes->set_up(team, staging.send_layout(), staging.recv_layout(), built);
  } else {
    working_->operation.set_plan(working_->plans.plan(team, staging.send_layout(), staging.recv_layout(),
                                                      changes_layout(facts.key, call.collective), built));
  }
  if (built) resources.plan_made(*this);
  working_->latest.keep(call, resources.rank());
  working_->alike = facts.alike;
}

/// The groups of this rank in calls with any root: as the root it takes part in all of them. All ranks name those that
/// they share in the same order, so that none waits for another in a circle.
std::vector<RankSet> ScheduleCarrier::needed_groups(const Facts& facts, const Resources& resources) const {
  const int root = rooted(facts.situation.collective) ? resources.rank() : 0;
  const Schedule schedule = bound_.schedule(bound_.team(facts.situation, resources.rank(), root));
  std::vector<RankSet> groups;  // a schedule with MPI barriers has many parts of one group
  for (const Round& round : schedule.rounds())
    if (round.sub() != nullptr && std::find(groups.begin(), groups.end(), round.sub()->group) == groups.end())
      groups.push_back(round.sub()->group);
  return groups;
}

/// Whether all ranks may make communicators for those groups that have none; if need be, after other candidates on this
/// communicator have given theirs back.
bool ScheduleCarrier::has_room(std::span<const RankSet> groups, const ScheduleCarrier& holder, Resources& resources) {
  const auto may_make = [&] {
    const auto missing =
        std::count_if(groups.begin(), groups.end(), [&](const RankSet& one) { return !resources.groups().has(one); });
    return resources.channel()->all(Groups::may_make(static_cast<std::size_t>(missing)));
  };
  if (may_make()) return true;
  resources.give_back_groups(holder);
  return may_make();
}

/// Whether this rank gets the communicators of all of `groups`. One that gets none for a group still joins its other
/// groups, whose ranks wait for it.
bool ScheduleCarrier::join(std::span<const RankSet> groups, Resources& resources) {
  bool has_all = true;
  for (const RankSet& group : groups) {
    has_all = resources.join(group).has_value() && has_all;
    groups_.push_back(group);
  }
  resources.groups_joined(*this);  // also where it has none: lists of holders must be alike on all ranks
  return has_all;
}

/// Whether a plan has the communicators of its native parts.
bool ScheduleCarrier::find_communicators(Plan& plan, Resources& resources) {
  if (plan.natives.size() == plan.program.natives.size()) return true;
  std::vector<MPI_Comm> found;
  for (const NativePart& part : plan.program.natives) {
    const auto comm = resources.groups().of(part.group);
    if (!comm) return false;
    found.push_back(*comm);
  }
  plan.natives = std::move(found);
  return true;
}

/// Whether all ranks have the memory that ranks of a node share, or need none.
bool ScheduleCarrier::join_segment(const Facts& facts, Resources& resources) {
  if (!bound_.shares_memory()) return true;
  if (STARLING_SIMULATED) {
    refused_ = "simulated ranks are one process, which shares no memory with another";
    return false;
  }
  refused_ = resources.join_segment(*facts.situation.places);
  has_segment_ = refused_.empty();
  return has_segment_;
}

/// Whether every rank is ready. The ranks agree on it before and after they create communicators. Takes note of the
/// seconds in which communicators or memory that ranks share were made.
bool ScheduleCarrier::make_ready(const Facts& facts, Resources& resources, bool has_memory, double& setup_s) {
  const std::vector<RankSet> groups = needed_groups(facts, resources);
  Channel& channel = *resources.channel();
  // Most need none, on no rank: they agree once.
  needs_no_groups_ = channel.all(has_memory && groups.empty());
  const bool makes_any =
      (bound_.shares_memory() && resources.segment() == nullptr) ||
      std::any_of(groups.begin(), groups.end(), [&](const RankSet& one) { return !resources.groups().has(one); });
  const double start = Clock::now();
  if (needs_no_groups_) {
    ready_ = join_segment(facts, resources);
  } else if (!channel.all(has_memory)) {
    refused_ = "a rank had no memory left for it";
  } else if (!has_room(groups, *this, resources)) {
    refused_ = "a rank had as many communicators as it may make";
  } else if (join_segment(facts, resources)) {
    ready_ = channel.all(join(groups, resources));
    if (!ready_) refused_ = "the MPI library has no communicator left for it";
  }
  if (makes_any) setup_s = Clock::now() - start;
  if (ready_) return true;
  release(resources);
  return false;
}

Carrier::Outcome ScheduleCarrier::carry_out(const Call& call, const Facts& facts, Resources& resources) {
  Outcome outcome = begin(call, facts, resources, Workspace::mine());
  if (outcome.refused != nullptr) return outcome;
  if (!working_->sizes) {
    outcome.error = working_->operation.finish();
  } else if (working_->sizes->finish()) {
    outcome.error = move_blocks(resources);
  } else {
    // The application's error handler may free the communicator and this object: no member is used after it.
    outcome.error = call.native(call);
    outcome.reported = true;
  }
  return outcome;
}

/// Starts an operation of a call that all other ranks have started, or will.
void ScheduleCarrier::start(Operation& operation, MPI_Op op, Resources& resources, bool has_memory) {
  // All can't change to another way any more.
  if (!has_memory || !find_communicators(operation.plan(), resources))
    resources.abort_job("rank has no memory or no communicator for " + bound_.name());
  operation.start(*resources.channel(), op, has_segment_ ? resources.segment()->rings() : nullptr);
}

/// Binds the schedule to the sizes that this rank has learned, and moves the blocks: also after an error, for others
/// wait.
int ScheduleCarrier::move_blocks(Resources& resources) {
  SizeExchange& sizes = *working_->sizes;
  Operation& operation = working_->operation;
  const Staging& staging = operation.staging();
  bool built = false;
  operation.set_plan(
      working_->plans.plan(sizes.team(), staging.send_layout(), staging.recv_layout(), true, built, sizes.learned()));
  if (built) resources.plan_made(*this);
  const bool has_memory = operation.reserve(Workspace::mine());
  start(operation, MPI_Op{}, resources, has_memory);
  const int failed = operation.finish();
  return failed != MPI_SUCCESS ? failed : sizes.error();
}

Carrier::Outcome ScheduleCarrier::begin(const Call& call, const Facts& facts, Resources& resources,
                                        Workspace& workspace) {
  const bool is_alike = working_ && ((facts.alike != 0 && facts.alike == working_->alike) ||
                                     (working_->plans.latest() != nullptr && working_->latest.matches(call)));
  if (is_alike) {
    working_->operation.staging().refresh(call, facts);
  } else {
    set_up(call, facts, resources);
  }
  Operation& operation = working_->sizes ? working_->sizes->operation() : working_->operation;
  const bool has_memory = operation.reserve(workspace);
  double setup_s = 0;
  const bool was_ready = ready_;
  if (!ready_ && !make_ready(facts, resources, has_memory, setup_s)) {
    workspace.done();
    return {MPI_SUCCESS, false, &refused_.text(), setup_s};
  }
  start(operation, call.op, resources, has_memory);
  const bool has_note = !was_ready && has_segment_ && !resources.segment()->note().empty();
  return {MPI_SUCCESS, false, nullptr, setup_s, has_note ? &resources.segment()->note() : nullptr};
}

}  // namespace starling
