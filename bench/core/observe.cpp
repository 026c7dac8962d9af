// The cost of a call in the steady state besides the algorithm and the clock: the strategy and the samples.

#include <benchmark/benchmark.h>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "measurement/samples.hpp"
#include "selection/strategy.hpp"

namespace {

constexpr double seconds_a_call = 10e-6;
constexpr double bytes_a_call = 4096;

starling::Brief nine_candidates() {
  starling::Brief brief;
  for (int i = 0; i < 9; ++i) {
    starling::Candidate candidate;
    candidate.name = std::string("a").append(std::to_string(i));
    brief.candidates.own().push_back(candidate);
  }
  return brief;
}

/// The end of an agreement, on the rank that judges.
void decide(starling::Strategy& strategy, std::vector<double> agreed) {
  if (strategy.judge() == starling::Judge::first_rank) {
    const auto ruling = strategy.ruling(agreed);
    agreed.assign(ruling.begin(), ruling.end());
  }
  strategy.verdict(agreed);
}

/// The strategy past its exploration, its periods at their full length.
std::unique_ptr<starling::Strategy> settled(std::string_view name) {
  auto strategy = starling::strategy_named(name).value().first->make(nine_candidates());
  for (int call = 0; call < 100000; ++call) {
    const auto local = strategy->observe(seconds_a_call, bytes_a_call);
    const std::vector<double> agreed(local.begin(), local.end());
    if (!agreed.empty()) decide(*strategy, agreed);
  }
  return strategy;
}

void observe(benchmark::State& state, std::string_view name) {
  const auto strategy = settled(name);
  for (auto _ : state) {
    const auto local = strategy->observe(seconds_a_call, bytes_a_call);
    if (!local.empty()) {
      decide(*strategy, {local.begin(), local.end()});
    }
    benchmark::DoNotOptimize(strategy->proposed());
  }
}

void add_sample(benchmark::State& state) {
  starling::Samples samples;
  for (auto _ : state) {
    samples.add(seconds_a_call);
    benchmark::ClobberMemory();
  }
}

void observe_and_add(benchmark::State& state) {
  const auto strategy = settled("star-basic");
  std::vector<starling::Samples> samples(9);
  for (auto _ : state) {
    samples[static_cast<std::size_t>(strategy->proposed())].add(seconds_a_call);
    const auto local = strategy->observe(seconds_a_call, bytes_a_call);
    if (!local.empty()) {
      decide(*strategy, {local.begin(), local.end()});
    }
    benchmark::ClobberMemory();
  }
}

/// Each strategy that is of use without an argument.
const bool observed = [] {
  for (const starling::StrategyKind& kind : starling::strategy_kinds())
    if (!kind.forces) benchmark::RegisterBenchmark(("observe/" + std::string(kind.name)).c_str(), observe, kind.name);
  return true;
}();

BENCHMARK(add_sample);
BENCHMARK(observe_and_add);

}  // namespace
