// star-basic: the dynamic AEOS algorithm of STAR-MPI without grouping: each candidate is its own group.

#include "selection/dynamic_aeos.hpp"

namespace starling::strategies {

StrategyKind star_basic() {
  return {
      .name = "star-basic",
      .says =
          "measures every candidate in turn, uses the fastest, and moves on to the second best when it deteriorates",
      .source = "Faraj, Yuan and Lowenthal 2006 (STAR-MPI), section 3.2, figure 2",
      .learns = true,
      .searches = true,
      .few_sizes = true,
      .keeps_trying = true,
      .stages = {DynamicAeos::stages.begin(), DynamicAeos::stages.end()},
      .make = [](const Brief& brief) -> std::unique_ptr<Strategy> {
        std::vector<Interned> groups;
        for (const Candidate& candidate : brief.candidates) groups.push_back(candidate.name);
        return std::make_unique<DynamicAeos>(brief, groups, DynamicAeos::RunOff::none);
      },
  };
}

}  // namespace starling::strategies
