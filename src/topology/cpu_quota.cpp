#include "topology/cpu_quota.hpp"

#include <sys/stat.h>

#include <fstream>
#include <optional>
#include <sstream>
#include <string_view>

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

/// Looks at the group of that path below `mount`, and at all that it is in. In a container the path may be that of the
/// host, of which only the end, the container's own group, is there: at `mount` itself.
void look_upwards(const std::string& mount, std::string path, CpuQuota& smallest) {
  while (true) {
    const std::string folder = mount + path;
    if (const auto found = quota_of(folder); found && (smallest.group == 0 || *found < smallest.processors))
      smallest = {number_of_folder(folder), *found};
    if (path.empty()) return;
    path.erase(path.rfind('/'));
  }
}

bool has_word(std::string_view list, std::string_view word) {
  std::istringstream words{std::string(list)};
  for (std::string one; std::getline(words, one, ',');)
    if (one == word) return true;
  return false;
}

}  // namespace

CpuQuota cpu_quota_here(const std::string& root) {
  CpuQuota smallest;
  std::ifstream groups(root + "/proc/self/cgroup");
  const std::string mounts = root + "/sys/fs/cgroup";
  for (std::string line; std::getline(groups, line);) {  // number:controllers:/path
    const std::size_t first = line.find(':');
    const std::size_t second = line.find(':', first + 1);
    if (first == std::string::npos || second == std::string::npos || second + 1 == line.size()) continue;
    const std::string controllers = line.substr(first + 1, second - first - 1);
    const std::string path = line[second + 1] != '/' || second + 2 == line.size() ? "" : line.substr(second + 1);
    if (controllers.empty()) {
      look_upwards(mounts, path, smallest);
    } else if (has_word(controllers, "cpu")) {
      look_upwards(mounts + "/" + controllers, path, smallest);
    }
  }
  return smallest;
}

}  // namespace starling
