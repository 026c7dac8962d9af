#include "topology/cpu_quota.hpp"

#include <sys/stat.h>

#include <fstream>
#include <optional>

#include "topology/control_groups.hpp"

namespace starling {
namespace {

/// The processors of a group by its folder; nothing where it has no quota, or is none.
std::optional<double> quota_of(const std::string& folder) {
  double quota = 0;
  double period = 0;
  // "max" instead of a number, and -1: no quota.
  std::ifstream both(folder + "/cpu.max");
  if (both) {
    both >> quota >> period;
  } else {
    std::ifstream(folder + "/cpu.cfs_quota_us") >> quota;
    std::ifstream(folder + "/cpu.cfs_period_us") >> period;
  }
  return quota > 0 && period > 0 ? std::optional(quota / period) : std::nullopt;
}

std::uint64_t number_of_folder(const std::string& folder) {
  struct stat found {};
  if (stat(folder.c_str(), &found) != 0) return 0;
  return (static_cast<std::uint64_t>(found.st_dev) << 48U) ^ static_cast<std::uint64_t>(found.st_ino);
}

}  // namespace

CpuQuota cpu_quota_here(const std::string& root) {
  CpuQuota smallest;
  each_control_group(root, "cpu", [&](const std::string& folder) {
    if (const auto found = quota_of(folder); found && (smallest.group == 0 || *found < smallest.processors))
      smallest = {number_of_folder(folder), *found};
  });
  return smallest;
}

}  // namespace starling
