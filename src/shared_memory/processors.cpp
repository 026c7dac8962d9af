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

bool has_own_processor(const Processors& mine, std::span<const Processors> all) {
  const auto here = std::ranges::count_if(all, [&](const Processors& one) {
    for (std::size_t i = 0; i < one.size(); ++i)
      if ((one[i] & ~mine[i]) != 0) return false;
    return true;
  });
  std::int64_t processors = 0;
  for (const std::uint64_t some : mine) processors += std::popcount(some);
  return here <= processors;
}

}  // namespace starling
