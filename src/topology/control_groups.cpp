#include "topology/control_groups.hpp"

#include <fstream>
#include <sstream>

namespace starling {
namespace {

bool has_word(std::string_view list, std::string_view word) {
  std::istringstream words{std::string(list)};
  for (std::string one; std::getline(words, one, ',');)
    if (one == word) return true;
  return false;
}

}  // namespace

void each_control_group(const std::string& root, std::string_view controller,
                        const std::function<void(const std::string& folder)>& visit) {
  std::ifstream groups(root + "/proc/self/cgroup");
  const std::string mounts = root + "/sys/fs/cgroup";
  for (std::string line; std::getline(groups, line);) {  // number:controllers:/path
    const std::size_t first = line.find(':');
    const std::size_t second = line.find(':', first + 1);
    if (first == std::string::npos || second == std::string::npos || second + 1 == line.size()) continue;
    const std::string controllers = line.substr(first + 1, second - first - 1);
    if (!controllers.empty() && !has_word(controllers, controller)) continue;
    const std::string mount = controllers.empty() ? mounts : mounts + "/" + controllers;
    // In a container the path may be that of the host, of which only the end, the container's own group, is there: at
    // `mount` itself.
    std::string path = line[second + 1] != '/' || second + 2 == line.size() ? "" : line.substr(second + 1);
    for (; !path.empty(); path.erase(path.rfind('/'))) visit(mount + path);
    visit(mount);
  }
}

}  // namespace starling
