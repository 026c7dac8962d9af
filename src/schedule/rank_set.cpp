#include "schedule/rank_set.hpp"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <limits>
#include <mutex>
#include <set>
#include <stdexcept>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace starling {

/// first, first + step, ...; or, where they are not evenly spaced, those that are listed.
struct RankSet::Ranks {
  int first;
  int step;
  int size;
  std::vector<int> listed;                       ///< empty where they are evenly spaced
  std::vector<std::pair<int, int>> places;       ///< of those that are listed: rank and place, by rank
  mutable std::atomic<std::int64_t> holders{0};  ///< from one to none and back only under the lock

  Ranks(int first_, int step_, int size_) : first(first_), step(step_), size(size_) {}
  Ranks(Ranks&& other) noexcept
      : first(other.first),
        step(other.step),
        size(other.size),
        listed(std::move(other.listed)),
        places(std::move(other.places)) {}
  Ranks(const Ranks&) = delete;
  Ranks& operator=(const Ranks&) = delete;
  Ranks& operator=(Ranks&&) = delete;
  ~Ranks() = default;

  bool operator<(const Ranks& other) const {
    return std::tie(first, step, size, listed) < std::tie(other.first, other.step, other.size, other.listed);
  }
};

namespace {

template <class Ranks>
struct Sets {
  std::mutex guard;
  std::set<Ranks> known;
};

/// Never destroyed: MPI may be called when statics are.
template <class Ranks>
Sets<Ranks>& sets() {
  static Sets<Ranks>& all = *new Sets<Ranks>;
  return all;
}

}  // namespace

RankSet RankSet::shared(Ranks&& wanted) {
  if (wanted.size == 0) return {};
  Sets<Ranks>& all = sets<Ranks>();
  const std::scoped_lock lock(all.guard);
  const Ranks& kept = *all.known.insert(std::move(wanted)).first;
  kept.holders.fetch_add(1, std::memory_order_relaxed);
  return RankSet(&kept);
}

RankSet RankSet::every(int step, int first, int size) {
  if (size > 1 && step == 0) throw std::invalid_argument("rank " + std::to_string(first) + " twice in a set of ranks");
  return shared({first, size > 1 ? step : 1, std::max(size, 0)});
}

RankSet RankSet::of(std::span<const int> ranks) {
  const auto size = static_cast<int>(ranks.size());
  if (size == 0) return {};
  const int step = size > 1 ? ranks[1] - ranks[0] : 1;
  const bool evenly =
      std::adjacent_find(ranks.begin(), ranks.end(), [step](int a, int b) { return b - a != step; }) == ranks.end();
  if (evenly) return every(step, ranks[0], size);
  Ranks wanted(ranks[0], 0, size);
  wanted.listed.assign(ranks.begin(), ranks.end());
  wanted.places.reserve(ranks.size());
  for (int place = 0; place < size; ++place) wanted.places.emplace_back(ranks[static_cast<std::size_t>(place)], place);
  std::sort(wanted.places.begin(), wanted.places.end());
  const auto twice = std::adjacent_find(wanted.places.begin(), wanted.places.end(),
                                        [](const auto& a, const auto& b) { return a.first == b.first; });
  if (twice != wanted.places.end())
    throw std::invalid_argument("rank " + std::to_string(twice->first) + " twice in a set of ranks");
  return shared(std::move(wanted));
}

const RankSet& RankSet::everyone() {
  static const RankSet& all = *new RankSet(consecutive(0, std::numeric_limits<int>::max()));
  return all;
}

RankSet::RankSet(const RankSet& other) noexcept : ranks_(other.ranks_) {
  if (ranks_ != nullptr) ranks_->holders.fetch_add(1, std::memory_order_relaxed);
}

RankSet& RankSet::operator=(const RankSet& other) noexcept {
  return *this = RankSet(other);
}

RankSet& RankSet::operator=(RankSet&& other) noexcept {
  std::swap(ranks_, other.ranks_);
  return *this;
}

RankSet::~RankSet() {
  if (ranks_ == nullptr) return;
  std::int64_t holders = ranks_->holders.load(std::memory_order_relaxed);
  while (holders > 1)
    if (ranks_->holders.compare_exchange_weak(holders, holders - 1, std::memory_order_release)) return;
  // Only under the lock may it be the last: another thread may be about to find it.
  Sets<Ranks>& all = sets<Ranks>();
  const std::scoped_lock lock(all.guard);
  if (ranks_->holders.fetch_sub(1, std::memory_order_acq_rel) == 1) all.known.erase(all.known.find(*ranks_));
}

int RankSet::size() const {
  return ranks_ == nullptr ? 0 : ranks_->size;
}

int RankSet::rank(int index) const {
  return ranks_->listed.empty() ? ranks_->first + (index * ranks_->step)
                                : ranks_->listed[static_cast<std::size_t>(index)];
}

int RankSet::index_of(int rank) const {
  if (ranks_ == nullptr) return -1;
  if (ranks_->listed.empty()) {
    const int offset = rank - ranks_->first;
    const int index = offset / ranks_->step;
    return offset % ranks_->step == 0 && index >= 0 && index < ranks_->size ? index : -1;
  }
  const auto found = std::lower_bound(ranks_->places.begin(), ranks_->places.end(), std::pair{rank, 0});
  return found != ranks_->places.end() && found->first == rank ? found->second : -1;
}

RankSet RankSet::at(const RankSet& places) const {
  const auto checked = [&](int place) {
    if (place < 0 || place >= size())
      throw std::out_of_range("place " + std::to_string(place) + " of a set of " + std::to_string(size()) + " ranks");
    return rank(place);
  };
  if (places.empty()) return {};
  if (ranks_ != nullptr && ranks_->listed.empty() && places.ranks_->listed.empty()) {
    checked(places.rank(places.size() - 1));
    return every(ranks_->step * places.ranks_->step, checked(places.rank(0)), places.size());
  }
  std::vector<int> chosen;
  chosen.reserve(static_cast<std::size_t>(places.size()));
  for (int i = 0; i < places.size(); ++i) chosen.push_back(checked(places.rank(i)));
  return of(chosen);
}

bool RankSet::within(int ranks) const {
  if (ranks_ == nullptr) return true;
  if (!ranks_->places.empty()) return ranks_->places.front().first >= 0 && ranks_->places.back().first < ranks;
  const auto [lowest, highest] = std::minmax({rank(0), rank(size() - 1)});
  return lowest >= 0 && highest < ranks;
}

std::size_t RankSet::in_use() {
  Sets<Ranks>& all = sets<Ranks>();
  const std::scoped_lock lock(all.guard);
  return all.known.size();
}

}  // namespace starling
