#include "messages/meant.hpp"

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <vector>

namespace starling {

namespace {

/// Letters to put in, take out or change to make one of the other (Levenshtein).
std::size_t distance(std::string_view one, std::string_view other) {
  std::vector<std::size_t> row(other.size() + 1);
  std::iota(row.begin(), row.end(), 0);
  for (const char letter : one) {
    std::size_t diagonal = row[0]++;
    for (std::size_t j = 0; j < other.size(); ++j) {
      const std::size_t changed = diagonal + (letter == other[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({changed, diagonal + 1, row[j] + 1});
    }
  }
  return row.back();
}

}  // namespace

std::string_view meant(std::string_view name, std::span<const std::string_view> known) {
  std::string_view nearest;
  std::size_t least = 3;
  for (const std::string_view candidate : known) {
    const bool begins = name.starts_with(candidate) || (name.size() > 2 && candidate.starts_with(name));
    if (!begins && name.size() >= candidate.size() + least) continue;  // a name may be as long as an environment
    const std::size_t away = begins ? 1 : distance(name, candidate);
    if (away < least) {
      least = away;
      nearest = candidate;
    }
  }
  return nearest;
}

}  // namespace starling
