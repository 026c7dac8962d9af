#include "ways/alike.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <mutex>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

#include "algorithms/candidate.hpp"
#include "ways/way.hpp"

namespace starling {
namespace {

constexpr int fewest_ranks = 2;
constexpr int most_ranks = 3;

/// All that tells a candidate from another one on so many ranks.
struct Behaviour {
  bool works_in_place;
  std::int64_t probe_up_to;
  std::vector<std::optional<Division>> divisions;  ///< of calls of several sizes and kinds; none where it is refused
  std::vector<Schedule> schedules;                 ///< of each rank with each root, in the smallest call
  bool operator==(const Behaviour&) const = default;
};

/// Nothing where it serves no call, as far as nothing is known of the network.
std::optional<Behaviour> behaviour(const Bound& bound, int ranks) {
  // Each segment size has few blocks in the smallest call that it serves.
  constexpr std::array<std::int64_t, 5> sizes{8, 3000, 1 << 16, 1 << 20, 3 << 23};
  Behaviour found{bound.works_in_place(), bound.probe_up_to(), {}, {}};
  std::optional<Situation> smallest;
  for (const std::int64_t bytes : sizes) {
    for (const bool commutative : {true, false}) {
      for (const bool in_place : {false, true}) {
        if (!commutative && !reduces(bound.collective)) continue;
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

std::vector<int> compared(Collective collective, int ranks) {
  const auto all = ways(collective, ranks);
  std::vector<int> first(all->size());
  std::iota(first.begin(), first.end(), 0);
  std::vector<std::pair<Behaviour, int>> known;
  for (std::size_t i = 0; i < all->size(); ++i) {
    const Bound* const bound = (*all)[i].scheduled();
    std::optional<Behaviour> one = bound == nullptr ? std::nullopt : behaviour(*bound, ranks);
    if (!one) continue;
    const auto same = std::find_if(known.begin(), known.end(), [&](const auto& other) { return other.first == *one; });
    if (same != known.end()) {
      first[i] = same->second;
    } else {
      known.emplace_back(*std::move(one), static_cast<int>(i));
    }
  }
  return first;
}

}  // namespace

std::span<const int> alike(Collective collective, int ranks) {
  if (ranks < fewest_ranks || ranks > most_ranks) return {};
  struct Kept {
    std::mutex guard;
    std::map<std::pair<Collective, int>, std::vector<int>> all;
  };
  // Never destroyed: a program may call MPI while its own statics are destroyed.
  static auto& kept = *new Kept;
  const std::lock_guard lock(kept.guard);
  const auto [found, is_new] = kept.all.try_emplace({collective, ranks});
  if (is_new) found->second = compared(collective, ranks);
  return found->second;
}

}  // namespace starling
