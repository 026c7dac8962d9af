// The cost of binding a schedule to new sizes, as for each call of an alltoallv with changing counts: 4096 ranks,
// blocks of 0 to 1000 bytes.

#include <benchmark/benchmark.h>

#include <array>
#include <cstdint>

#include "algorithms/candidate.hpp"
#include "schedule/program.hpp"

namespace {

constexpr int ranks = 4096;
constexpr int rank = 1000;

/// The counts of call number `call`.
void lay_out(starling::Layout& layout, int call) {
  layout.clear();
  for (int block = 0; block < ranks; ++block) layout.add((block * 7919 + call * 104729) % 1001);
}

void rebind(benchmark::State& state, const char* name) {
  const starling::Collective collective = starling::Collective::alltoallv;
  const auto bound = starling::candidate_named(collective, name);
  starling::Situation situation;
  situation.collective = collective;
  situation.ranks = ranks;
  const starling::FlatSchedule schedule(bound->schedule(bound->team(situation, rank)));
  std::array<std::array<starling::Layout, 2>, 2> layouts{{{{{0, 0}, {0, 0}}}, {{{0, 0}, {0, 0}}}}};
  for (int call = 0; call < 2; ++call) {
    lay_out(layouts[static_cast<std::size_t>(call)][0], call);
    lay_out(layouts[static_cast<std::size_t>(call)][1], call + 2);
  }
  starling::Program program;
  std::size_t call = 0;
  for (auto _ : state) {
    const auto& [send, recv] = layouts[++call % 2];
    starling::bind(schedule, send, recv, collective, rank, program);
    benchmark::DoNotOptimize(program);
  }
}
BENCHMARK_CAPTURE(rebind, simple, "simple")->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(rebind, pair, "pair")->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(rebind, ring, "ring")->Unit(benchmark::kMicrosecond);

}  // namespace
