// brute-force: measures every candidate and uses the fastest.

#include "selection/search.hpp"

namespace starling::strategies {
namespace {

class BruteForce final : public SearchPlan {
 public:
  using SearchPlan::SearchPlan;

  std::vector<int> choose(const Trials& trials) override {
    if (settings().early_stop > 0)
      if (std::vector<int> few = first_few(trials); !few.empty()) return few;
    return rest_of(space().members(), trials, settings().early_stop);
  }
};

}  // namespace

StrategyKind brute_force() {
  return {
      .name = "brute-force",
      .says = "measures every candidate, uses the fastest, and searches again when its time drifts",
      .source = "Gabriel, Feki, Benkert and Resch 2008 (ADCL), section 2",
      .learns = true,
      .searches = true,
      .by_attributes = true,
      .keeps_trying = true,
      .stages = {Search::stages.begin(), Search::stages.end()},
      .may_be_told = Search::may_be_told,
      .make = search_by<BruteForce>,
  };
}

}  // namespace starling::strategies
