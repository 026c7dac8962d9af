#include "schedule/ranks_at_work.hpp"

namespace starling {

RanksAtWork::RanksAtWork(Collective collective, std::span<const Schedule> per_rank, int root, const CheckedCall& facts,
                         HappensBefore* order)
    : collective_(collective),
      schedules_(per_rank),
      facts_(facts),
      order_(order),
      symbols_(ranks(), facts.blocks, facts.commutative),
      at_(per_rank.size()) {
  for (int rank = 0; rank < ranks(); ++rank) {
    expected_.push_back(expectation(collective, ranks(), facts.blocks, rank, root));
    naming(rank, [&] {
      const Schedule& schedule = per_rank[index(rank)];
      if (schedule.blocks() != facts.blocks)
        throw Mistake{"has a schedule for " + std::to_string(schedule.blocks()) + " blocks instead of " +
                      std::to_string(facts.blocks)};
      memory_.emplace_back(schedule, collective, expected_.back(), facts, rank, symbols_);
    });
  }
}

std::optional<int> RanksAtWork::next_ready() {
  if (ready_.empty()) return std::nullopt;
  const int rank = ready_.back();
  ready_.pop_back();
  return rank;
}

std::string RanksAtWork::place(int rank) const {
  return "rank " + std::to_string(rank) +
         (memory_.size() > index(rank) ? ", round " + std::to_string(round_number(rank)) + ":" : std::string{});
}

std::string RanksAtWork::hint(bool is_empty) const {
  if (!is_empty || collective_ == Collective::barrier) return {};
  return "; messages between two ranks meet in the order in which each posts them, and those of a light barrier in "
         "communicating rounds of the same number";
}

}  // namespace starling
