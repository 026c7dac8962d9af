#include "topology/available_memory.hpp"

#include <algorithm>
#include <fstream>
#include <limits>
#include <optional>

#include "topology/control_groups.hpp"

namespace starling {
namespace {

/// The number behind that word in a file of words and numbers.
std::optional<std::int64_t> number_behind(const std::string& word, const std::string& file) {
  std::ifstream words(file);
  for (std::string one; words >> one;)
    if (std::int64_t number = 0; one == word && words >> number) return number;
  return {};
}

std::optional<std::int64_t> number_alone_in(const std::string& file) {
  std::int64_t number = 0;
  return std::ifstream(file) >> number ? std::optional(number) : std::nullopt;  // "max": no limit
}

/// What is left of a group's limit, at least a byte, for 0 would mean that it is not known; nothing where it has none.
std::optional<std::int64_t> left_of(const std::string& limit, const std::string& used, const std::string& statistics,
                                    const std::string& cached) {
  const auto most = number_alone_in(limit);
  const auto now = number_alone_in(used);
  if (!most || !now) return {};
  return std::max<std::int64_t>(1, *most - *now + number_behind(cached, statistics).value_or(0));
}

}  // namespace

std::int64_t available_memory(const std::string& root) {
  const auto kibibytes = number_behind("MemAvailable:", root + "/proc/meminfo");
  std::int64_t least = kibibytes ? *kibibytes * 1024 : std::numeric_limits<std::int64_t>::max();
  each_control_group(root, "memory", [&](const std::string& folder) {
    for (const auto& left :
         {left_of(folder + "/memory.max", folder + "/memory.current", folder + "/memory.stat", "inactive_file"),
          left_of(folder + "/memory.limit_in_bytes", folder + "/memory.usage_in_bytes", folder + "/memory.stat",
                  "total_inactive_file")})
      if (left) least = std::min(least, *left);
  });
  return least == std::numeric_limits<std::int64_t>::max() ? 0 : least;
}

}  // namespace starling
