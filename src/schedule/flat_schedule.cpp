#include "schedule/flat_schedule.hpp"

namespace starling {

FlatSchedule::FlatSchedule(const Schedule& schedule) : scratch(schedule.scratch()) {
  std::size_t all_steps = 0;
  std::size_t all_transfers = 0;
  std::size_t all_locals = 0;
  for (const Round& round : schedule.rounds()) {
    all_steps += round.locals().empty() ? 1 : 2;
    all_transfers += round.receives().size() + round.sends().size();
    all_locals += round.locals().size();
  }
  steps.reserve(all_steps);
  transfers.reserve(all_transfers);
  locals.reserve(all_locals);
  const auto add = [this](const auto& step) {
    if (!step.empty()) steps.emplace_back(step.flattened(*this));
  };
  for (const Round& round : schedule.rounds()) {
    std::visit(add, round.meeting);
    add(round.local);
  }
}

std::size_t FlatSchedule::bytes() const {
  std::size_t bytes = (steps.capacity() * sizeof(Step)) + (transfers.capacity() * sizeof(Transfer)) +
                      (locals.capacity() * sizeof(Local)) + (subs.capacity() * sizeof(SubCollective)) +
                      (sharings.capacity() * sizeof(Sharing));
  for (const Sharing& one : sharings) {
    bytes += (one.publications.capacity() * sizeof(Publication)) + (one.takes.capacity() * sizeof(Take));
    for (const Publication& each : one.publications) bytes += each.readers.capacity() * sizeof(int);
  }
  for (const Scratch& one : scratch) bytes += sizeof one + (one.like.capacity() * sizeof(int));
  return bytes;
}

}  // namespace starling
