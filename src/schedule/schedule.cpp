#include "schedule/schedule.hpp"

#include <stdexcept>
#include <string>
#include <utility>

namespace starling {

Buffer Schedule::add_scratch(int count, int first) {
  Scratch& added = scratch_.emplace_back();
  added.like.reserve(static_cast<std::size_t>(count));
  for (int slot = 0; slot < count; ++slot) added.like.push_back((((first + slot) % blocks_) + blocks_) % blocks_);
  return static_cast<Buffer>(static_cast<std::size_t>(Buffer::scratch) + scratch_.size() - 1);
}

Buffer Schedule::add_scratch_like(int count, int block) {
  scratch_.push_back({std::vector<int>(static_cast<std::size_t>(count), block)});
  return static_cast<Buffer>(static_cast<std::size_t>(Buffer::scratch) + scratch_.size() - 1);
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
  const std::size_t scratch_before = scratch_.size();
  const Origin sizes = placement.sizes.value_or(placement.recv);
  const int scale = sizes.scale;

  // The block of the whole that says how large block `block` (and `within` it, where scaled) of the part is.
  const auto size_of = [&](int block, int within) {
    const int slot = sizes.first + (block * scale) + within;
    if (sizes.buffer == Buffer::recv || sizes.buffer == Buffer::send) return slot;
    return scratch_[scratch_index(sizes.buffer)].like[static_cast<std::size_t>(slot)];
  };
  for (const Scratch& one : part.scratch_) {
    Scratch added;
    for (const int block : one.like)
      for (int within = 0; within < scale; ++within) added.like.push_back(size_of(block, within));
    scratch_.push_back(std::move(added));
  }

  const auto moved = [&](Blocks blocks) -> Blocks {
    if (blocks.count == 0) return nothing();
    Origin origin = placement.recv;
    if (blocks.buffer == Buffer::send) origin = placement.send;
    if (blocks.buffer >= Buffer::scratch)
      origin = {static_cast<Buffer>(static_cast<std::size_t>(blocks.buffer) + scratch_before), 0, scale};
    return {origin.buffer, origin.first + (blocks.first * origin.scale), blocks.count * origin.scale};
  };

  const auto placed = [&](int peer) {
    if (peer < 0 || peer >= placement.ranks.size)
      throw std::out_of_range("append: the part talks to rank " + std::to_string(peer) + " and is placed on " +
                              std::to_string(placement.ranks.size) + " ranks");
    return placement.ranks.rank(peer);
  };

  for (const Round& round : part.rounds_) {
    Round& added = this->round();
    for (const Transfer& one : round.receives) added.receive(moved(one.blocks), placed(one.peer));
    for (const Transfer& one : round.sends) added.send(moved(one.blocks), placed(one.peer));
    for (const Local& one : round.locals) {
      const Local local{one.kind, moved(one.from), moved(one.into)};
      if (local.kind != Local::Kind::copy || local.from != local.into) added.locals.push_back(local);
    }
    if (round.sub) {
      SubCollective sub = *round.sub;
      const int first = placed(sub.group.first);
      placed(sub.group.rank(sub.group.size - 1));
      sub.group = {first, placement.ranks.stride * sub.group.stride, sub.group.size};
      sub.from = moved(sub.from);
      sub.into = moved(sub.into);
      sub.scale *= scale;
      added.sub = sub;
    }
  }
}

Schedule Schedule::synchronised(Synchronisation synchronisation, int ranks) const {
  if (synchronisation == Synchronisation::none) return *this;
  Schedule kept_apart(blocks_);
  kept_apart.scratch_ = scratch_;
  bool sent = false;
  for (const Round& round : rounds_) {
    const bool sends = !round.receives.empty() || !round.sends.empty() || round.is_idle();
    if (sends && sent) {
      if (synchronisation == Synchronisation::mpi_barrier) {
        kept_apart.round().sub = SubCollective{Collective::barrier, {0, 1, ranks}, 0, 1, nothing(), nothing()};
      } else if (!round.is_idle()) {
        Round& between = kept_apart.round();
        // Those I shall receive from may go on; I may go on when those I shall send to say so.
        for (const Transfer& one : round.sends) between.receive(nothing(), one.peer);
        for (const Transfer& one : round.receives) between.send(nothing(), one.peer);
      }
    }
    sent = sent || sends;
    kept_apart.rounds_.push_back(round);
  }
  return kept_apart;
}

}  // namespace starling
