#include "schedule/program.hpp"

#include <algorithm>
#include <array>

namespace starling {
namespace {

/// Finds where blocks lie, in units.
class Resolver {
 public:
  Resolver(const Schedule& schedule, const Layout& send, const Layout& recv, Collective collective, int rank)
      : layouts_{&send, &recv} {
    const bool one_sent = collective == Collective::allgather || collective == Collective::allgatherv ||
                          collective == Collective::gather || collective == Collective::gatherv;
    const bool one_received = collective == Collective::reduce_scatter ||
                              collective == Collective::reduce_scatter_block || collective == Collective::scatter ||
                              collective == Collective::scatterv;
    if (one_sent) starts_[0] = {rank * send.parts(), send.start(rank * send.parts())};
    if (one_received) starts_[1] = {rank * recv.parts(), recv.start(rank * recv.parts())};
    for (const Scratch& one : schedule.scratch()) {
      Layout& layout = scratch_.emplace_back(0, 0);
      for (const int block : one.like) layout.add(recv.size(block));
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

  [[nodiscard]] std::int64_t scratch_units(std::size_t scratch) const { return scratch_[scratch].total(); }

 private:
  /// What of its layout a buffer starts with: one of a single rank's block starts with that.
  struct Start {
    int block = 0;
    std::int64_t unit = 0;
  };

  std::array<const Layout*, 2> layouts_;
  std::array<Start, 2> starts_{};
  std::vector<Layout> scratch_;
};

void add_messages(const std::vector<Transfer>& transfers, const Resolver& where, std::vector<Message>& messages,
                  std::int32_t& count) {
  for (const Transfer& one : transfers) {
    const Extent data = where(one.blocks);
    if (data.count == 0 && one.blocks.count > 0) continue;
    messages.push_back({one.peer, data});
    ++count;
  }
}

}  // namespace

Program bind(const Schedule& schedule, const Layout& send, const Layout& recv, Collective collective, int rank) {
  const Resolver where(schedule, send, recv, collective, rank);
  Program program;
  for (const Round& round : schedule.rounds()) {
    Step step{static_cast<std::int32_t>(program.messages.size()), 0, 0,
              static_cast<std::int32_t>(program.works.size()),    0, -1};
    if (round.sub) {
      const SubCollective& sub = *round.sub;
      step.native = static_cast<std::int32_t>(program.natives.size());
      program.natives.push_back({sub.collective, sub.group, sub.root, where(sub.from), where(sub.into)});
    }
    add_messages(round.receives, where, program.messages, step.receives);
    add_messages(round.sends, where, program.messages, step.sends);
    for (const Local& local : round.locals) {
      const Extent from = where(local.from);
      if (from.count == 0) continue;
      program.works.push_back({local.kind, from, where(local.into)});
      ++step.work_count;
    }
    if (step.receives + step.sends + step.work_count == 0 && step.native < 0) continue;
    program.most_messages = std::max(program.most_messages, step.receives + step.sends);
    program.steps.push_back(step);
  }
  for (std::size_t i = 0; i < schedule.scratch().size(); ++i) program.scratch.push_back(where.scratch_units(i));
  return program;
}

}  // namespace starling
