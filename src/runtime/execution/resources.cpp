#include "runtime/execution/resources.hpp"

#include <cstdio>

#include "messages/told.hpp"
#include "runtime/execution/ways/schedule_carrier.hpp"
#include "runtime/mpi/pmpi.hpp"
#include "runtime/mpi/process.hpp"

namespace starling {

Channel* Resources::channel(bool fact) {
  if (!channel_) channel_ = Channel::open(comm_, ranks_in_world(comm_, size_), rank_, fact);
  return channel_.get();
}

std::string Resources::join_segment(const Places& places) {
  if (!segment_) {
    std::string why;
    segment_ = Segment::open(places, rank_, *channel_, why);
    if (!segment_) return why;
  }
  ++segment_holders_;
  return {};
}

void Resources::leave_segment() {
  if (--segment_holders_ == 0) segment_.reset();
}

void Resources::groups_joined(ScheduleCarrier& holder) {
  groups_left(holder);
  group_holders_.push_back(&holder);
}

void Resources::groups_left(const ScheduleCarrier& holder) {
  std::erase(group_holders_, &holder);
}

void Resources::give_back_groups(const ScheduleCarrier& wanting) {
  const std::vector<ScheduleCarrier*> all = group_holders_;
  for (ScheduleCarrier* const one : all)
    if (one != &wanting) one->release(*this);
}

void Resources::plan_made(ScheduleCarrier& holder) {
  plan_holders_.made(holder);
}

void Resources::plans_dropped(const ScheduleCarrier& holder) {
  plan_holders_.dropped(holder);
}

void Resources::abort_job(const std::string& why) const {
  std::fprintf(stderr, "starling: rank %d of %d: %s; the job ends here\n", rank_, size_, in_one_line(why).c_str());
  end_job();
}

}  // namespace starling
