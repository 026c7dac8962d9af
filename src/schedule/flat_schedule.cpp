#include "schedule/flat_schedule.hpp"

#include <type_traits>
#include <variant>

namespace starling {

FlatSchedule::FlatSchedule(const Schedule& schedule) : scratch(schedule.scratch()) {
  // Those that may be many: as they grew there would be up to three times as much for a moment.
  std::size_t count_of_locals = 0;
  std::size_t count_of_transfers = 0;
  for (const Round& round : schedule.rounds()) {
    count_of_locals += round.local.all.size();
    if (const auto* const messages = std::get_if<Messages>(&round.meeting))
      count_of_transfers += messages->receives.size() + messages->sends.size();
  }
  locals.reserve(count_of_locals);
  transfers.reserve(count_of_transfers);
  const auto add = [this](const auto& step) {
    if (step.empty()) return;
    ++bound_steps;
    auto flat = step.flattened(*this);
    if constexpr (requires { flat.join(flat, *this); })
      if (auto* const before = steps.empty() ? nullptr : std::get_if<decltype(flat)>(&steps.back());
          before != nullptr && before->join(flat, *this))
        return;
    steps.emplace_back(flat);
  };
  for (const Round& round : schedule.rounds()) {
    std::visit(add, round.meeting);
    add(round.local);
  }
  steps.shrink_to_fit();
  StepKinds::each([this]<class Kind>(std::type_identity<Kind> /*kind*/) {
    each_array<typename Kind::InSchedule>(*this, [](auto& array) { array.shrink_to_fit(); });
  });
}

std::size_t FlatSchedule::bytes() const {
  std::size_t bytes = bytes_of(steps) + bytes_of(scratch);
  StepKinds::each([&]<class Kind>(std::type_identity<Kind> /*kind*/) {
    each_array<const typename Kind::InSchedule>(*this, [&](const auto& array) { bytes += bytes_of(array); });
  });
  return bytes;
}

}  // namespace starling
