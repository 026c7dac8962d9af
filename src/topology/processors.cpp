#include "topology/processors.hpp"

#include <sched.h>

#include <cstddef>

namespace starling {

Processors allowed_processors() {
  Processors allowed{};
  if (sched_getaffinity(0, sizeof allowed, reinterpret_cast<cpu_set_t*>(allowed.data())) == 0) return allowed;
  // A machine with more processors than there are bits.
  allowed.fill(~std::uint64_t{0});
  return allowed;
}

}  // namespace starling
