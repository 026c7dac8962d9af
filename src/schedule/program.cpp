#include "schedule/program.hpp"

#include <type_traits>
#include <variant>

#include "schedule/resolver.hpp"
#include "schedule/steps/binder.hpp"

namespace starling {

void bind(const FlatSchedule& schedule, const Layout& send, const Layout& recv, Collective collective, int rank,
          Program& program, std::span<const std::int64_t> learned) {
  const Resolver where(schedule.scratch, send, recv, collective, rank, learned);
  program.steps.clear();
  program.scratch.clear();
  StepKinds::each([&]<class Kind>(std::type_identity<Kind> /*kind*/) {
    typename Kind::InProgram& into = program;
    if constexpr (requires { into.make_room(schedule); }) {
      into.make_room(schedule);
    } else {
      each_array(into, [](auto& array) { array.clear(); });
    }
  });
  program.steps.reserve(schedule.bound_steps);
  Binder binder{schedule, where, program};
  for (const StepKinds::Flat& step : schedule.steps) std::visit([&](const auto& one) { one.bind(binder); }, step);
  for (std::size_t i = 0; i < schedule.scratch.size(); ++i) program.scratch.push_back(where.scratch_units(i));
}

Program bind(const Schedule& schedule, const Layout& send, const Layout& recv, Collective collective, int rank) {
  Program program;
  bind(FlatSchedule(schedule), send, recv, collective, rank, program);
  return program;
}

void Program::append(const Program& from, const Step& step, const RankSet& ranks) {
  Step& added = steps.emplace_back(step);
  step.visit([&]<class Kind>(std::type_identity<Kind> /*kind*/) {
    typename Kind::InProgram& into = *this;
    added.first = into.append(from, step, ranks);
  });
}

std::size_t Program::bytes() const {
  std::size_t bytes = bytes_of(steps) + bytes_of(scratch);
  StepKinds::each([&]<class Kind>(std::type_identity<Kind> /*kind*/) {
    each_array<const typename Kind::InProgram>(*this, [&](const auto& array) { bytes += bytes_of(array); });
  });
  return bytes;
}

}  // namespace starling
