// star: the dynamic AEOS algorithm of STAR-MPI with grouping: candidates that optimise the same thing are a group.
// A candidate that looks only a little faster than native must win a run-off before it is used, unless the settings ask
// for the algorithm as published.

#include "selection/dynamic_aeos.hpp"

namespace starling::strategies {

StrategyKind star() {
  return {
      .name = "star",
      .says =
          "measures one candidate of each group, then the rest of the fastest group, uses the fastest where it beats "
          "native, and moves on when it deteriorates",
      .source = "Faraj, Yuan and Lowenthal 2006 (STAR-MPI), sections 3.2 and 3.3, figure 2",
      .learns = true,
      .searches = true,
      .few_sizes = true,
      .keeps_trying = true,
      .stages = {DynamicAeos::stages.begin(), DynamicAeos::stages.end()},
      .make = [](const Brief& brief) -> std::unique_ptr<Strategy> {
        std::vector<Interned> groups;
        for (const Candidate& candidate : brief.candidates) groups.push_back(candidate.group);
        const auto run_off = brief.settings.run_off ? DynamicAeos::RunOff::with_native : DynamicAeos::RunOff::none;
        return std::make_unique<DynamicAeos>(brief, groups, run_off);
      },
  };
}

}  // namespace starling::strategies
