#pragma once

#include <cstddef>
#include <variant>
#include <vector>

#include "schedule/schedule.hpp"

namespace starling {

/// The steps of a schedule one behind the other in flat arrays, in the order in which programs have them: what is kept
/// to be bound again and again to other sizes.
struct FlatSchedule {
  using Step = std::variant<Messages::Flat, SubCollective::Flat, Sharing::Flat, LocalWork::Flat>;

  FlatSchedule() = default;
  explicit FlatSchedule(const Schedule& schedule);
  /// Bytes of memory.
  [[nodiscard]] std::size_t bytes() const;

  std::vector<Step> steps;
  std::vector<Transfer> transfers;
  std::vector<Local> locals;
  std::vector<SubCollective> subs;
  std::vector<Sharing> sharings;
  std::vector<Scratch> scratch;
};

}  // namespace starling
