#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "schedule/collective.hpp"
#include "schedule/layout.hpp"
#include "schedule/schedule.hpp"

namespace starling {

/// Finds where blocks lie, in units.
class Resolver {
 public:
  /// `learned`: as in `bind`.
  Resolver(const std::vector<Scratch>& scratch, const Layout& send, const Layout& recv, Collective collective, int rank,
           std::span<const std::int64_t> learned = {})
      : layouts_{&send, &recv}, knows_all_(all_know_sizes(collective)) {
    const Traits& has = traits_of(collective);
    if (has.send == Holds::block) starts_[0] = {rank * send.parts(), send.start(rank * send.parts())};
    if (has.recv == Holds::block) starts_[1] = {rank * recv.parts(), recv.start(rank * recv.parts())};
    std::size_t slot = 0;
    for (const Scratch& one : scratch) {
      Layout& layout = scratch_.emplace_back(0, 0);
      for (const int block : one.like) layout.add(learned.empty() ? recv.size(block) : learned[slot++]);
    }
  }

  [[nodiscard]] Extent operator()(Blocks blocks) const {
    const auto buffer = static_cast<std::int32_t>(blocks.buffer);
    if (blocks.count == 0) return {buffer, 0, 0};
    const bool is_scratch = blocks.buffer >= Buffer::scratch;
    const Layout& layout = is_scratch ? scratch_[scratch_index(blocks.buffer)] : *layouts_[buffer];
    const Start start = is_scratch ? Start{} : starts_[buffer];
    const int first = start.block + blocks.first;
    const int last = first + blocks.count - 1;
    return {buffer, layout.start(first) - start.unit, layout.start(last) + layout.size(last) - layout.start(first)};
  }

  /// The blocks of one of the caller's buffers, where they are listed and it has all of them; else null.
  [[nodiscard]] const Units* listed(Buffer buffer) const {
    const auto which = static_cast<std::size_t>(buffer);
    return starts_[which] == Start{} ? layouts_[which]->listed() : nullptr;
  }

  /// Whether all ranks know that all blocks of the call are equally large.
  [[nodiscard]] bool is_even() const { return knows_all_ && layouts_[1]->is_even(); }

  [[nodiscard]] std::int64_t scratch_units(std::size_t scratch) const { return scratch_[scratch].total(); }

 private:
  /// The block of its layout, and that one's first unit, with which a buffer starts: not block 0 in a rank's own block.
  struct Start {
    int block = 0;
    std::int64_t unit = 0;
    bool operator==(const Start&) const = default;
  };

  std::array<const Layout*, 2> layouts_;
  std::array<Start, 2> starts_{};
  bool knows_all_;
  std::vector<Layout> scratch_;
};

}  // namespace starling
