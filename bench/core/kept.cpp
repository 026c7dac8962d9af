// Memory of schedules on 4096 ranks, in MB: of each collective the candidate with the largest program, and the peak
// while one is made. A settled context keeps one program, a communicator at most 16 MiB of them.

#include <benchmark/benchmark.h>
#include <malloc.h>

#include <algorithm>
#include <cstdint>
#include <string>

#include "algorithms/candidate.hpp"
#include "schedule/program.hpp"

namespace {

constexpr int ranks = 4096;
constexpr int rank = 1000;
constexpr double mega = 1e6;

double heap() {
  const auto now = mallinfo2();
  return static_cast<double>(now.uordblks + now.hblkhd) / mega;
}

void kept(benchmark::State& state, starling::Collective collective) {
  double program_mb = 0;
  double building_mb = 0;
  std::string largest;
  for (auto _ : state) {
    for (const starling::Bound& bound : starling::candidates(collective)) {
      for (const std::int64_t bytes : {8, 4096, 65536}) {
        starling::Situation situation;
        situation.collective = collective;
        situation.ranks = ranks;
        situation.elements = bytes / 8;
        situation.bytes = bytes;
        situation.commutative = true;
        const bool is_left_out = bound.algorithm->probe_up_to > 0 && bytes > bound.algorithm->probe_up_to;
        if (is_left_out || !bound.refusal(situation).empty()) continue;
        const double before = heap();
        const starling::Team team = bound.team(situation, rank);
        const starling::Schedule schedule = bound.schedule(team);
        const starling::Layout layout(team.blocks(),
                                      starling::reduces(collective) ? situation.elements : ranks * bytes);
        const starling::Program program = bind(schedule, layout, layout, collective, rank);
        building_mb = std::max(building_mb, heap() - before);
        const double own = static_cast<double>(program.bytes()) / mega;
        if (own > program_mb) largest = bound.name();
        program_mb = std::max(program_mb, own);
      }
    }
  }
  state.counters["program_MB"] = program_mb;
  state.counters["building_MB"] = building_mb;
  state.SetLabel(largest);
}
BENCHMARK_CAPTURE(kept, allreduce, starling::Collective::allreduce)->Iterations(1)->Unit(benchmark::kSecond);
BENCHMARK_CAPTURE(kept, allgather, starling::Collective::allgather)->Iterations(1)->Unit(benchmark::kSecond);
BENCHMARK_CAPTURE(kept, alltoall, starling::Collective::alltoall)->Iterations(1)->Unit(benchmark::kSecond);

}  // namespace
