#include "schedule/flat_schedule.hpp"

namespace starling {

FlatSchedule::FlatSchedule(const Schedule& schedule) : scratch(schedule.scratch()) {
  std::size_t all_transfers = 0;
  std::size_t all_locals = 0;
  for (const Round& round : schedule.rounds()) {
    all_transfers += round.receives.size() + round.sends.size();
    all_locals += round.locals.size();
  }
  steps.reserve(schedule.rounds().size());
  transfers.reserve(all_transfers);
  locals.reserve(all_locals);
  for (const Round& round : schedule.rounds()) {
    if (round.is_idle()) continue;
    steps.push_back({static_cast<std::int32_t>(round.receives.size()), static_cast<std::int32_t>(round.sends.size()),
                     static_cast<std::int32_t>(round.locals.size()), round.sub.has_value()});
    transfers.insert(transfers.end(), round.receives.begin(), round.receives.end());
    transfers.insert(transfers.end(), round.sends.begin(), round.sends.end());
    locals.insert(locals.end(), round.locals.begin(), round.locals.end());
    if (round.sub) subs.push_back(*round.sub);
  }
}

std::size_t FlatSchedule::bytes() const {
  std::size_t bytes = (steps.capacity() * sizeof(Step)) + (transfers.capacity() * sizeof(Transfer)) +
                      (locals.capacity() * sizeof(Local)) + (subs.capacity() * sizeof(SubCollective));
  for (const Scratch& one : scratch) bytes += sizeof one + (one.like.capacity() * sizeof(int));
  return bytes;
}

}  // namespace starling
