// What rank 0 thinks after an agreement of a search that may stop early: of 20 candidates and of a hundred, with three
// attributes, of which half were tried.

#include "selection/outlook.hpp"

#include <benchmark/benchmark.h>

#include <cstddef>
#include <string>
#include <vector>

#include "selection/attribute_space.hpp"
#include "selection/strategy.hpp"
#include "selection/trials.hpp"

namespace {

starling::Brief brief_of(int candidates) {
  starling::Brief brief;
  for (int i = 0; i < candidates; ++i) {
    starling::Candidate& one = brief.candidates.own().emplace_back();
    one.name = std::string("a").append(std::to_string(i));
    one.attributes = {
        {"partners", std::to_string(i % 2)}, {"data", std::to_string(i / 2 % 2)}, {"transfer", std::to_string(i / 4)}};
  }
  return brief;
}

void outlook(benchmark::State& state) {
  const auto candidates = static_cast<int>(state.range(0));
  const starling::Brief brief = brief_of(candidates);
  const starling::AttributeSpace space(brief.candidates);
  starling::Trials trials(brief);
  for (int i = 0; i < candidates; i += 2) {
    const double seconds = 1e-3 * (1 + (0.05 * (i % 7)));
    trials.add(i, std::vector<starling::AgreedCall>(3, starling::AgreedCall{seconds, seconds, 0}));
  }
  for (auto _ : state) {
    const starling::Outlook found(space, trials, 0.02);
    benchmark::DoNotOptimize(found.chances().data());
  }
}

}  // namespace

BENCHMARK(outlook)->Arg(20)->Arg(100)->Unit(benchmark::kMicrosecond);
