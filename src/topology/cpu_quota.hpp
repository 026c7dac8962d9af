#pragma once

#include <cstdint>
#include <string>

namespace starling {

/// Processor time that the processes of a control group get together.
struct CpuQuota {
  std::uint64_t group = 0;  ///< the same number in all processes of the group; 0: there is no quota
  double processors = 0;    ///< seconds in a second
};

/// The smallest quota of the control groups that this process is in, of cgroup v1 or v2: containers and batch systems
/// set it, and sched_getaffinity does not tell it. `root` is the folder in which `proc` and `sys` are.
CpuQuota cpu_quota_here(const std::string& root = "");

}  // namespace starling
