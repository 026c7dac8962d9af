#include "cost/steps/sharing.hpp"

#include <algorithm>

namespace starling {

void StepCost<Sharing>::begin(int rank, const Step& step, double now) {
  const Program& program = ranks_.program(rank);
  const BoundSharing& sharing = program.sharing_of(step);
  double& processor = ranks_.at(rank).free;
  processor = std::max(processor, now);
  Progress& mine = progress_[static_cast<std::size_t>(rank)];
  mine = {.sharing = &sharing, .taken = 0, .awaited = 1, .until = now};
  for (const BoundPublication& one : program.publications_of(sharing)) {
    const bool in_place = one.may_stay_in_place(one.data.count);
    const bool helps = in_place && sharing.takes == 0 && sharing.publications == 1 && one.readers == 1;
    const double begun = processor;
    if (in_place) mine.awaited += one.readers;
    if (!in_place) processor += static_cast<double>(one.data.count) * ranks_.parameters().copy_per_byte;
    for (const std::int32_t reader : program.readers_of(one)) {
      published_[pair(rank, reader)].push_back({begun, processor, in_place, helps});
      if (progress_[static_cast<std::size_t>(reader)].sharing != nullptr && reader != rank) take(reader);
    }
  }
  --mine.awaited;
  take(rank);
}

void StepCost<Sharing>::count(const Sharing& step, PredictionWork& work) {
  constexpr double of_a_shared = 0.1;  // a take, or a reader
  std::size_t shared = step.takes.size();
  for (const Publication& one : step.publications) shared += one.readers.size();
  work.microseconds += of_a_shared * static_cast<double>(shared);
}

void StepCost<Sharing>::take(int rank) {
  Progress& mine = progress_[static_cast<std::size_t>(rank)];
  const auto takes = ranks_.program(rank).takes_of(*mine.sharing);
  for (; mine.taken < mine.sharing->takes; ++mine.taken) {
    const BoundTake& one = takes[static_cast<std::size_t>(mine.taken)];
    const auto there = published_.find(pair(one.peer, rank));
    if (there == published_.end()) return;
    const Published published = there->second.front();
    there->second.pop_front();
    if (there->second.empty()) published_.erase(there);
    take_one(rank, one, published, ranks_.at(rank).free);
  }
  end_if_over(rank);
}

void StepCost<Sharing>::take_one(int rank, const BoundTake& take, const Published& there, double& processor) {
  const CostParameters& costs = ranks_.parameters();
  const double way = ranks_.latency(take.peer, rank);
  const int operands = take.operands();
  double of_a_byte = operands == 0 ? costs.copy_per_byte : operands * costs.combine_per_byte;
  if (there.in_place && operands > 0) of_a_byte += costs.copy_per_byte;
  if (there.helped && operands == 0) of_a_byte /= 2;
  const double begun = std::max(processor, there.begun + way);
  processor = std::max(begun + (static_cast<double>(take.into.count) * of_a_byte), there.done + way);
  processor = std::max(processor, ranks_.crossed(take.peer, rank, take.into.count, begun));
  if (!there.in_place) return;
  Progress& writer = progress_[static_cast<std::size_t>(take.peer)];
  --writer.awaited;
  writer.until = std::max(writer.until, processor + way);
  end_if_over(take.peer);
}

void StepCost<Sharing>::end_if_over(int rank) {
  Progress& mine = progress_[static_cast<std::size_t>(rank)];
  if (mine.sharing == nullptr || mine.awaited > 0 || mine.taken < mine.sharing->takes) return;
  mine.sharing = nullptr;
  ranks_.step_over(rank, std::max(ranks_.at(rank).free, mine.until));
}

}  // namespace starling
