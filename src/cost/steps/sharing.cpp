#include "cost/steps/sharing.hpp"

#include <algorithm>

namespace starling {

void StepCost<Sharing>::begin(int rank, const Step& step, double now) {
  const Program& program = ranks_.program(rank);
  const BoundSharing& sharing = program.sharing_of(step);
  double& processor = ranks_.at(rank).free;
  processor = std::max(processor, now);
  Progress& mine = progress_[static_cast<std::size_t>(rank)];
  mine = {&sharing, 0};
  for (const BoundPublication& one : program.publications_of(sharing)) {
    const double begun = processor;
    processor += static_cast<double>(one.data.count) * ranks_.parameters().copy_per_byte;
    for (const std::int32_t reader : program.readers_of(one)) {
      from(rank, reader).push_back({begun, processor});
      if (progress_[static_cast<std::size_t>(reader)].sharing != nullptr && reader != rank) take(reader, now);
    }
  }
  take(rank, now);
}

void StepCost<Sharing>::count(const Sharing& step, PredictionWork& work) {
  constexpr double of_a_shared = 0.1;  // a take, or a reader
  std::size_t shared = step.takes.size();
  for (const Publication& one : step.publications) shared += one.readers.size();
  work.microseconds += of_a_shared * static_cast<double>(shared);
}

void StepCost<Sharing>::take(int rank, double now) {
  Progress& mine = progress_[static_cast<std::size_t>(rank)];
  const CostParameters& costs = ranks_.parameters();
  const auto takes = ranks_.program(rank).takes_of(*mine.sharing);
  double& processor = ranks_.at(rank).free;
  for (; mine.taken < mine.sharing->takes; ++mine.taken) {
    const BoundTake& one = takes[static_cast<std::size_t>(mine.taken)];
    std::deque<Published>& there = from(one.peer, rank);
    if (there.empty()) return;
    const double way = ranks_.latency(one.peer, rank);
    const double work = static_cast<double>(one.into.count) *
                        (one.kind == Take::Kind::copy ? costs.copy_per_byte : costs.combine_per_byte);
    processor = std::max(processor, there.front().begun + way) + work;
    processor = std::max(processor, there.front().done + way);
    there.pop_front();
  }
  mine.sharing = nullptr;
  ranks_.step_over(rank, std::max(processor, now));
}

}  // namespace starling
