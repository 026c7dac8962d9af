#include "schedule/program.hpp"

#include <variant>

#include "schedule/resolver.hpp"
#include "schedule/steps/binder.hpp"

namespace starling {

void bind(const FlatSchedule& schedule, const Layout& send, const Layout& recv, Collective collective, int rank,
          Program& program) {
  const Resolver where(schedule.scratch, send, recv, collective, rank);
  program.steps.clear();
  program.works.clear();
  program.natives.clear();
  program.shares.clear();
  program.sharings.clear();
  program.publications.clear();
  program.takes.clear();
  program.readers.clear();
  program.scratch.clear();
  program.most_messages = 0;
  program.steps.reserve(schedule.steps.size());
  program.messages.resize(schedule.transfers.size());
  Binder binder(schedule, where, program);
  for (const FlatSchedule::Step& step : schedule.steps) std::visit([&](const auto& one) { bind(one, binder); }, step);
  program.messages.resize(static_cast<std::size_t>(binder.index_of(binder.message)));
  for (std::size_t i = 0; i < schedule.scratch.size(); ++i) program.scratch.push_back(where.scratch_units(i));
}

Program bind(const Schedule& schedule, const Layout& send, const Layout& recv, Collective collective, int rank) {
  Program program;
  bind(FlatSchedule(schedule), send, recv, collective, rank, program);
  return program;
}

std::size_t Program::bytes() const {
  return (steps.capacity() * sizeof(Step)) + (messages.capacity() * sizeof(Message)) +
         (works.capacity() * sizeof(Work)) + (natives.capacity() * sizeof(NativePart)) +
         (shares.capacity() * sizeof(int)) + (sharings.capacity() * sizeof(BoundSharing)) +
         (publications.capacity() * sizeof(BoundPublication)) + (takes.capacity() * sizeof(BoundTake)) +
         (readers.capacity() * sizeof(std::int32_t)) + (scratch.capacity() * sizeof(std::int64_t));
}

}  // namespace starling
