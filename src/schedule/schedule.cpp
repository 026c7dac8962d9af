#include "schedule/schedule.hpp"

#include <stdexcept>
#include <utility>

namespace starling {

void Round::refuse() {
  throw std::logic_error(
      "a round meets other ranks in one way: by messages, in one sub-collective, or in memory they share");
}

Buffer Schedule::add_scratch(int count, int first) {
  std::vector<int> like;
  like.reserve(static_cast<std::size_t>(count));
  for (int slot = 0; slot < count; ++slot) like.push_back((((first + slot) % blocks_) + blocks_) % blocks_);
  return add_scratch(std::move(like));
}

Buffer Schedule::add_scratch(std::vector<int> like) {
  scratch_.push_back({std::move(like)});
  return buffer_of_scratch(scratch_.size() - 1);
}

Buffer Schedule::add_scratch_like(int count, int block) {
  return add_scratch(std::vector<int>(static_cast<std::size_t>(count), block));
}

void Schedule::copy(Blocks from, Blocks into) {
  if (rounds_.empty()) round();
  rounds_.back().copy(from, into);
}

void Schedule::combine(Blocks from, Blocks into) {
  if (rounds_.empty()) round();
  rounds_.back().combine(from, into);
}

void Schedule::append(const Schedule& part, const Placement& placement) {
  const Origin sizes = placement.sizes.value_or(placement.recv);

  // The block of the whole that is as large as slot `slot` of that buffer here.
  const auto size_of = [&](int slot) {
    if (!placement.like.empty()) return placement.like.at(static_cast<std::size_t>(slot));
    if (sizes.buffer == Buffer::recv || sizes.buffer == Buffer::send) return slot;
    return scratch_[scratch_index(sizes.buffer)].like[static_cast<std::size_t>(slot)];
  };
  std::vector<Origin> scratch;
  for (const Scratch& one : part.scratch_) {
    Origin& lies = scratch.emplace_back(Origin{buffer_of_scratch(scratch_.size()), 0, sizes.scale});
    Scratch added;
    for (const int block : one.like) {
      if (!sizes.starts.empty()) lies.starts.push_back(static_cast<int>(added.like.size()));
      for (int slot = sizes.start(block); slot < sizes.start(block + 1); ++slot) added.like.push_back(size_of(slot));
    }
    if (!sizes.starts.empty()) lies.starts.push_back(static_cast<int>(added.like.size()));
    scratch_.push_back(std::move(added));
  }

  const Placing where(placement, std::move(scratch));
  for (const Round& round : part.rounds_) {
    Round& added = this->round();
    added.meeting = std::visit([&](const auto& one) -> Meeting { return one.placed(where); }, round.meeting);
    added.local = round.local.placed(where);
  }
}

Schedule Schedule::synchronised(Synchronisation synchronisation, int ranks) const {
  if (synchronisation == Synchronisation::none) return *this;
  Schedule kept_apart(blocks_);
  kept_apart.scratch_ = scratch_;
  const RankSet everyone = RankSet::consecutive(0, ranks);
  bool sent = false;
  for (const Round& round : rounds_) {
    const bool sends = !round.receives().empty() || !round.sends().empty() || round.is_idle();
    if (sends && sent) {
      if (synchronisation == Synchronisation::mpi_barrier) {
        kept_apart.round().join({Collective::barrier, everyone, 0, 1, nothing(), nothing()});
      } else if (!round.is_idle()) {
        Round& between = kept_apart.round();
        // Tells the ranks from which this one receives next that they may send; waits until those to which it sends
        // next tell it.
        for (const Transfer& one : round.sends()) between.receive(nothing(), one.peer);
        for (const Transfer& one : round.receives()) between.send(nothing(), one.peer);
      }
    }
    sent = sent || sends;
    kept_apart.rounds_.push_back(round);
  }
  return kept_apart;
}

}  // namespace starling
