#include "ways/alike.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

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
  std::vector<Schedule> schedules;                 ///< of each rank, in the smallest call
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
  constexpr int root = 0;  // who do the same for one root do it for all: tests prove it
  for (int rank = 0; rank < ranks; ++rank) found.schedules.push_back(bound.schedule(bound.team(*smallest, rank, root)));
  return found;
}

/// Of the ways of a collective on so many ranks, as far as they were looked at.
class Compared {
 public:
  Compared(Collective collective, int ranks)
      : ranks_(ranks), ways_(ways(collective, ranks)), looked_at_(ways_->size()), numbers_(ways_->size()) {}

  std::vector<std::optional<int>> of(const std::function<bool(int)>& wanted) {
    std::vector<std::optional<int>> found(numbers_.size());
    for (std::size_t i = 0; i < found.size(); ++i)
      if (wanted(static_cast<int>(i))) found[i] = number_of(i);
    return found;
  }

 private:
  std::optional<int> number_of(std::size_t way) {
    if (looked_at_[way]) return numbers_[way];
    looked_at_[way] = true;
    const Bound* const bound = (*ways_)[way].scheduled();
    std::optional<Behaviour> one = bound == nullptr ? std::nullopt : behaviour(*bound, ranks_);
    if (!one) return std::nullopt;
    const auto same = std::find(known_.begin(), known_.end(), *one);
    numbers_[way] = static_cast<int>(same - known_.begin());
    if (same == known_.end()) known_.push_back(*std::move(one));
    return numbers_[way];
  }

  int ranks_;
  std::shared_ptr<const std::vector<Way>> ways_;
  std::vector<bool> looked_at_;
  std::vector<std::optional<int>> numbers_;  ///< of each way its place in `known_`
  std::vector<Behaviour> known_;
};

}  // namespace

std::vector<std::optional<int>> alike(Collective collective, int ranks, const std::function<bool(int)>& wanted) {
  if (ranks < fewest_ranks || ranks > most_ranks) return {};
  struct Kept {
    std::mutex guard;
    std::map<std::pair<Collective, int>, Compared> all;
  };
  // Never destroyed: a program may call MPI while its own statics are destroyed.
  static auto& kept = *new Kept;
  const std::scoped_lock lock(kept.guard);
  return kept.all.try_emplace({collective, ranks}, collective, ranks).first->second.of(wanted);
}

}  // namespace starling
