#include "schedule/happens_before.hpp"

#include <algorithm>
#include <utility>

namespace starling {

void HappensBefore::begin_round(int rank) {
  Clock& now = now_[index(rank)];
  ++now[index(rank)];
  begun_[index(rank)].insert(begun_[index(rank)].end(), now.begin(), now.end());
}

void HappensBefore::hear(int rank, int from) {
  learn(now_[index(rank)], latest(from));
}

void HappensBefore::hear(std::span<const int> ranks, std::span<const int> from) {
  Clock news(now_.size());
  for (const int one : from) learn(news, latest(one));
  for (const int one : ranks) learn(now_[index(one)], news);
}

void HappensBefore::learn(Clock& clock, std::span<const std::uint32_t> news) {
  for (std::size_t i = 0; i < clock.size(); ++i) clock[i] = std::max(clock[i], news[i]);
}

std::span<const std::uint32_t> HappensBefore::latest(int rank) const {
  return std::span(begun_[index(rank)]).last(now_.size());
}

bool HappensBefore::before(const StepAt& first, const StepAt& second) const {
  if (first.rank == second.rank)
    return std::pair{first.round, first.is_local} < std::pair{second.round, second.is_local};
  const std::vector<std::uint32_t>& begun = begun_[index(second.rank)];
  // Local work knows what the round's messages told, and so does the beginning of the next round.
  const std::size_t clock = (second.round + (second.is_local ? 1 : 0)) * now_.size();
  const std::size_t of_first = index(first.rank);
  const std::uint32_t known = clock < begun.size() ? begun[clock + of_first] : now_[index(second.rank)][of_first];
  // The round after it has begun.
  return known >= first.round + 2;
}

std::optional<int> HappensBefore::unheard(int rank) const {
  const Clock& now = now_[index(rank)];
  for (std::size_t other = 0; other < now.size(); ++other)
    if (now[other] == 0 && other != index(rank)) return static_cast<int>(other);
  return std::nullopt;
}

}  // namespace starling
