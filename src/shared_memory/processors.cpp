#include "shared_memory/processors.hpp"

#include <sched.h>

#include <algorithm>
#include <bit>
#include <cstddef>

namespace starling {

Processors allowed_processors() {
  Processors allowed{};
  if (sched_getaffinity(0, sizeof allowed, reinterpret_cast<cpu_set_t*>(allowed.data())) == 0) return allowed;
  // A machine with more processors than there are bits.
  allowed.fill(~std::uint64_t{0});
  return allowed;
}

bool has_own_processor(const Claim& mine, std::span<const Claim> all) {
  const auto here = std::ranges::count_if(all, [&](const Claim& one) {
    return std::ranges::equal(one.processors, mine.processors,
                              [](std::uint64_t its, std::uint64_t own) { return (its & ~own) == 0; });
  });
  std::int64_t processors = 0;
  for (const std::uint64_t some : mine.processors) processors += std::popcount(some);
  if (here > processors) return false;
  const auto in_group =
      std::ranges::count_if(all, [&](const Claim& one) { return one.quota.group == mine.quota.group; });
  return mine.quota.group == 0 || static_cast<double>(in_group) <= mine.quota.processors;
}

}  // namespace starling
