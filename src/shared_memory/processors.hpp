#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "shared_memory/cpu_quota.hpp"

namespace starling {

/// Processors of a machine: a bit for each.
using Processors = std::array<std::uint64_t, 64>;

/// Those on which the calling thread may run: fewer than the machine has where it is bound, or in a container.
Processors allowed_processors();

/// What a process may have of a machine's processors.
struct Claim {
  Processors processors;
  CpuQuota quota{};
};

/// Whether one of those who share a machine can have a processor for itself: those who may run on its processors only
/// are not more than these, and those of its control group not more than the group's quota. `all` has the claim of
/// everyone, also of this one.
bool has_own_processor(const Claim& mine, std::span<const Claim> all);

}  // namespace starling
