#include "selection/search_plan.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "halo_set.hpp"

namespace starling::testing {
namespace {

class Beginning final : public SearchPlan {
 public:
  using SearchPlan::SearchPlan;

 private:
  std::vector<int> choose(const Trials& trials) override { return first_few(trials); }
};

class WithEarlyStop final : public SearchPlan {
 public:
  using SearchPlan::SearchPlan;

 private:
  std::vector<int> choose(const Trials& trials) override { return rest_of(space().members(), trials, 0.02); }
};

void call(Trials& trials, const std::vector<int>& candidates, const std::vector<double>& seconds, std::size_t times) {
  for (const int one : candidates) {
    const double time = seconds[static_cast<std::size_t>(one)];
    trials.add(one, std::vector<AgreedCall>(times, AgreedCall{time, time, 0}));
  }
}

/// Seconds of all implementations, if those with these partners take three times as long.
std::vector<double> slow_with(const Brief& brief, const char* partners) {
  std::vector<double> seconds;
  for (const Candidate& one : brief.candidates) seconds.push_back(value_of(one, "partners") == partners ? 3e-3 : 1e-3);
  return seconds;
}

TEST(SearchPlan, BeginsWithTwoThatDifferInOneAttributeAndGoesOnNearTheFasterOne) {
  const Brief brief = halo_set();
  for (const auto& [slow, faster] : {std::pair{"pair", "aao"}, std::pair{"aao", "pair"}}) {
    Beginning plan(brief);
    Trials trials(brief);
    const std::vector<int> two = plan.wanted(trials);
    EXPECT_EQ(two, (std::vector{candidate_named(brief, "IsendIrecv_aao"), candidate_named(brief, "IsendIrecv_pair")}));
    call(trials, two, slow_with(brief, slow), 1);
    const std::vector<int> more = plan.wanted(trials);
    ASSERT_EQ(more.size(), 2U) << "data and transfer";
    for (const int one : more)
      EXPECT_EQ(value_of(brief.candidates[static_cast<std::size_t>(one)], "partners"), faster) << one;
    call(trials, more, slow_with(brief, slow), 1);
    EXPECT_TRUE(plan.wanted(trials).empty()) << "each attribute was compared";
  }
}

TEST(SearchPlan, BeginsWithThreeWhereTheyHaveNoAttributesAndWithNoneThatCannotServe) {
  for (const int candidates : {1, 2, 3, 9}) {
    Brief brief = brief_of(candidates);
    if (candidates == 9) brief.candidates[1].refusal = "cannot be";
    Beginning plan(brief);
    Trials trials(brief);
    const std::vector<int> few = plan.wanted(trials);
    EXPECT_EQ(few.size(), static_cast<std::size_t>(std::min(candidates, 3)));
    EXPECT_EQ(std::count(few.begin(), few.end(), 1), candidates == 1 || candidates == 9 ? 0 : 1);
    call(trials, few, std::vector<double>(9, 1e-3), 1);
    EXPECT_TRUE(plan.wanted(trials).empty());
  }
}

TEST(SearchPlan, DoesNotAskForOneAgainThatCouldNotServeAtItsFirstCall) {
  const Brief brief = halo_set();
  Beginning plan(brief);
  Trials trials(brief);
  std::vector<double> seconds = slow_with(brief, "none");
  seconds[static_cast<std::size_t>(candidate_named(brief, "IsendIrecv_pair"))] = refused_seconds;
  int asked = 0;
  for (std::vector<int> few = plan.wanted(trials); !few.empty() && asked < 10; few = plan.wanted(trials), ++asked)
    call(trials, few, seconds, 1);
  EXPECT_LT(asked, 10);
}

/// One exchange pair by pair took three times as long. Others of the kind may be better, and are asked for one by one;
/// where all are alike, an agreement takes longer than their calls, and several begin together.
TEST(SearchPlan, TriesAloneWhatIsProbablySlow) {
  const Brief brief = halo_set();
  const auto largest_begun = [&](const std::vector<double>& seconds) {
    Beginning few(brief);
    Trials trials(brief);
    for (std::vector<int> next = few.wanted(trials); !next.empty(); next = few.wanted(trials))
      call(trials, next, seconds, 10);
    WithEarlyStop plan(brief);
    std::size_t slow_together = 0;
    std::size_t together = 0;
    for (std::vector<int> next = plan.wanted(trials); !next.empty(); next = plan.wanted(trials)) {
      const auto slow = std::count_if(next.begin(), next.end(),
                                      [&](int one) { return seconds[static_cast<std::size_t>(one)] > 2e-3; });
      slow_together = std::max(slow_together, static_cast<std::size_t>(slow));
      together = std::max(together, next.size());
      call(trials, next, seconds, 10);
    }
    return std::pair{slow_together, together};
  };
  std::vector<double> alike = slow_with(brief, "none");
  for (std::size_t i = 0; i < alike.size(); ++i) alike[i] *= 1 + (0.01 * static_cast<double>(i % 7));
  EXPECT_GT(largest_begun(alike).second, 1U);
  EXPECT_EQ(largest_begun(slow_with(brief, "pair")).first, 1U);
}

}  // namespace
}  // namespace starling::testing
