#include "algorithms/repetitions.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace starling {
namespace {

constexpr int fewest_ranks = 2;
constexpr int most_ranks = 3;

/// All that tells a candidate from another one on so many ranks.
struct Doings {
  bool works_in_place;
  std::int64_t probe_up_to;
  std::vector<std::optional<Division>> divisions;  ///< of calls of several sizes and kinds; none where it is refused
  std::vector<Schedule> schedules;                 ///< of each rank with each root, in the smallest call
  bool operator==(const Doings&) const = default;
};

/// Nothing where it serves no call, as far as nothing is known of the network.
std::optional<Doings> doings(const Bound& bound, int ranks) {
  // Each segment size has few blocks in the smallest call that it serves.
  constexpr std::array<std::int64_t, 5> sizes{8, 3000, 1 << 16, 1 << 20, 3 << 22};
  Doings found{bound.works_in_place(), bound.probe_up_to(), {}, {}};
  std::optional<Situation> smallest;
  for (const std::int64_t bytes : sizes) {
    for (const bool commutative : {true, false}) {
      for (const bool in_place : {false, true}) {
        const Situation call{.collective = bound.collective,
                             .ranks = ranks,
                             .bytes = bytes,
                             .elements = bytes,
                             .commutative = commutative,
                             .in_place = in_place};
        const bool serves = bound.refusal(call).empty();
        found.divisions.push_back(serves ? std::optional(bound.division(call)) : std::nullopt);
        if (serves && !smallest) smallest = call;
      }
    }
  }
  if (!smallest) return std::nullopt;
  const int roots = rooted(bound.collective) ? ranks : 1;
  for (int root = 0; root < roots; ++root)
    for (int rank = 0; rank < ranks; ++rank)
      found.schedules.push_back(bound.schedule(bound.team(*smallest, rank, root)));
  return found;
}

}  // namespace

std::vector<Bound> without_repetitions(std::vector<Bound> all, int ranks) {
  if (ranks < fewest_ranks || ranks > most_ranks) return all;
  std::vector<Doings> known;
  std::erase_if(all, [&](const Bound& bound) {
    std::optional<Doings> one = doings(bound, ranks);
    if (!one) return false;
    if (std::find(known.begin(), known.end(), *one) != known.end()) return true;
    known.push_back(*std::move(one));
    return false;
  });
  return all;
}

}  // namespace starling
