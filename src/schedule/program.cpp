#include "schedule/program.hpp"

#include <algorithm>

namespace starling {
namespace {

/// Finds where blocks lie, in units.
class Resolver {
 public:
  Resolver(const Schedule& schedule, const Layout& layout, Collective collective, int rank) : layout_(layout) {
    const bool one_sent = collective == Collective::allgather || collective == Collective::allgatherv ||
                          collective == Collective::gather || collective == Collective::gatherv;
    const bool one_received = collective == Collective::reduce_scatter ||
                              collective == Collective::reduce_scatter_block || collective == Collective::scatter ||
                              collective == Collective::scatterv;
    first_[0] = one_sent ? rank : 0;
    first_[1] = one_received ? rank : 0;
    for (const Scratch& scratch : schedule.scratch()) {
      std::vector<std::int64_t>& starts = scratch_starts_.emplace_back(1, 0);
      for (const int block : scratch.like) starts.push_back(starts.back() + layout.size(block));
    }
  }

  [[nodiscard]] Extent operator()(Blocks blocks) const {
    const auto buffer = static_cast<std::int32_t>(blocks.buffer);
    if (blocks.count == 0) return {buffer, 0, 0};
    if (blocks.buffer >= Buffer::scratch) {
      const auto& starts = scratch_starts_[scratch_index(blocks.buffer)];
      const std::int64_t start = starts[static_cast<std::size_t>(blocks.first)];
      return {buffer, start, starts[static_cast<std::size_t>(blocks.first + blocks.count)] - start};
    }
    const int origin = first_[buffer];
    const std::int64_t start = layout_.start(origin + blocks.first);
    return {buffer, start - layout_.start(origin), layout_.start(origin + blocks.first + blocks.count) - start};
  }

  [[nodiscard]] std::int64_t scratch_units(std::size_t scratch) const { return scratch_starts_[scratch].back(); }

 private:
  const Layout& layout_;
  int first_[2] = {0, 0};
  std::vector<std::vector<std::int64_t>> scratch_starts_;
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

Program bind(const Schedule& schedule, const Layout& layout, Collective collective, int rank) {
  const Resolver where(schedule, layout, collective, rank);
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
