#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "schedule/schedule.hpp"

namespace starling {

/// The rounds of a schedule one behind the other in flat arrays, in the order in which programs have them: what is kept
/// to be bound again and again to other sizes.
struct FlatSchedule {
  struct Step {
    std::int32_t receives;  ///< of the transfers, before its sends
    std::int32_t sends;
    std::int32_t locals;
    bool is_sub;  ///< the next of the sub-collectives
  };

  FlatSchedule() = default;
  explicit FlatSchedule(const Schedule& schedule);
  /// Bytes of memory.
  [[nodiscard]] std::size_t bytes() const;

  std::vector<Step> steps;
  std::vector<Transfer> transfers;
  std::vector<Local> locals;
  std::vector<SubCollective> subs;
  std::vector<Scratch> scratch;
};

}  // namespace starling
