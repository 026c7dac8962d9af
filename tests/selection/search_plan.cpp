#include "selection/search_plan.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>

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
    const std::vector<int> two = plan.wanted(trials, 0);
    EXPECT_EQ(two, (std::vector{candidate_named(brief, "IsendIrecv_aao"), candidate_named(brief, "IsendIrecv_pair")}));
    call(trials, two, slow_with(brief, slow), 1);
    const std::vector<int> more = plan.wanted(trials, 0);
    ASSERT_EQ(more.size(), 2U) << "data and transfer";
    for (const int one : more)
      EXPECT_EQ(value_of(brief.candidates[static_cast<std::size_t>(one)], "partners"), faster) << one;
    call(trials, more, slow_with(brief, slow), 1);
    EXPECT_TRUE(plan.wanted(trials, 0).empty()) << "each attribute was compared";
  }
}

TEST(SearchPlan, BeginsWithThreeWhereTheyHaveNoAttributesAndWithNoneThatCannotServe) {
  for (const int candidates : {1, 2, 3, 9}) {
    Brief brief = brief_of(candidates);
    if (candidates == 9) brief.candidates.own()[1].refusal = "cannot be";
    Beginning plan(brief);
    Trials trials(brief);
    const std::vector<int> few = plan.wanted(trials, 0);
    EXPECT_EQ(few.size(), static_cast<std::size_t>(std::min(candidates, 3)));
    EXPECT_EQ(std::count(few.begin(), few.end(), 1), candidates == 1 || candidates == 9 ? 0 : 1);
    call(trials, few, std::vector<double>(9, 1e-3), 1);
    EXPECT_TRUE(plan.wanted(trials, 0).empty());
  }
}

TEST(SearchPlan, DoesNotAskForOneAgainThatCouldNotServeAtItsFirstCall) {
  const Brief brief = halo_set();
  Beginning plan(brief);
  Trials trials(brief);
  std::vector<double> seconds = slow_with(brief, "none");
  seconds[static_cast<std::size_t>(candidate_named(brief, "IsendIrecv_pair"))] = refused_seconds;
  int asked = 0;
  for (std::vector<int> few = plan.wanted(trials, 0); !few.empty() && asked < 10; few = plan.wanted(trials, 0), ++asked)
    call(trials, few, seconds, 1);
  EXPECT_LT(asked, 10);
}

/// Exchanges pair by pair take three times as long. In so many calls as a search expects it does not pay to try all of
/// them; in more it does.
TEST(SearchPlan, LeavesWhatIsProbablySlowToLongerPrograms) {
  Brief brief = halo_set();
  const std::vector<double> seconds = slow_with(brief, "pair");
  const auto left_after = [&](std::int64_t calls) {
    Beginning few(brief);
    Trials trials(brief);
    for (std::vector<int> next = few.wanted(trials, 0); !next.empty(); next = few.wanted(trials, 0))
      call(trials, next, seconds, 10);
    WithEarlyStop plan(brief);
    for (std::vector<int> next = plan.wanted(trials, calls); !next.empty(); next = plan.wanted(trials, calls))
      call(trials, next, seconds, 10);
    double before = static_cast<double>(calls);
    for (const SearchPlan::NotYet& one : plan.not_yet()) {
      EXPECT_GE(one.calls, before) << "in the order in which they pay";
      EXPECT_FALSE(trials.tried(one.candidate));
      before = one.calls;
    }
    return plan.not_yet().size();
  };
  EXPECT_GT(left_after(0), 0U);
  EXPECT_EQ(left_after(0), left_after(900)) << "the least that is expected";
  EXPECT_EQ(left_after(std::int64_t{1} << 40), 0U);
  brief.settings.drift = 0;
  EXPECT_EQ(left_after(0), 0U) << "the choice is for good";
  brief.settings.drift = 0.2;
  brief.settings.give_up = false;
  EXPECT_EQ(left_after(0), 0U) << "nothing is called while the chosen one is watched";
}

TEST(SearchPlan, PutsOffASlowKindUntilThereWereManyCalls) {
  Brief brief = halo_set();
  const auto is_one_sided = [&](int one) {
    return brief.candidates[static_cast<std::size_t>(one)].kind.text() == "one-sided";
  };
  std::vector<double> seconds(brief.candidates.size(), 1e-3);
  for (std::size_t i = 0; i < seconds.size(); ++i)
    seconds[i] *= (1 + (0.1 * static_cast<double>(i % 5))) * (is_one_sided(static_cast<int>(i)) ? 5 : 1);
  for (const double drift : {0.2, 0.0}) {
    brief.settings.drift = drift;
    WithEarlyStop plan(brief);
    Trials trials(brief);
    call(trials, {0, candidate_named(brief, "PostStartPut_aao")}, seconds, 10);
    const auto wants_more = [&](std::int64_t calls) {
      bool any = false;
      for (const int one : plan.wanted(trials, calls)) any = any || is_one_sided(one);
      return any;
    };
    for (std::vector<int> next = plan.wanted(trials, 0); !next.empty(); next = plan.wanted(trials, 0)) {
      EXPECT_FALSE(std::any_of(next.begin(), next.end(), is_one_sided));
      call(trials, next, seconds, 10);
    }
    ASSERT_FALSE(plan.not_yet().empty());
    for (const SearchPlan::NotYet& one : plan.not_yet()) EXPECT_GT(one.calls, calls_to_pay);
    EXPECT_TRUE(wants_more(std::int64_t{1} << 40) || drift == 0);
  }
}

/// Brief of the set in which the first one-sided exchange takes a millisecond more.
Brief with_dear_kind() {
  Brief brief = halo_set();
  for (Candidate& one : brief.candidates.own())
    if (one.kind.text() == "one-sided") one.seconds_to_begin = 1e-3;
  return brief;
}

TEST(SearchPlan, BeginsWithADearKindOnceCallsTookLongEnough) {
  Brief brief = with_dear_kind();
  const auto is_one_sided = [&](int one) {
    return brief.candidates[static_cast<std::size_t>(one)].kind.text() == "one-sided";
  };
  const std::vector<double> seconds(brief.candidates.size(), 1e-5);
  WithEarlyStop plan(brief);
  Trials trials(brief);
  for (std::vector<int> next = plan.wanted(trials, 0); !next.empty(); next = plan.wanted(trials, 0)) {
    EXPECT_FALSE(std::any_of(next.begin(), next.end(), is_one_sided));
    call(trials, next, seconds, 10);
  }
  EXPECT_NE(plan.why().find("one-sided not begun yet"), std::string::npos) << plan.why();
  ASSERT_EQ(plan.not_yet().size(), 1U) << "one tells of the others";
  const SearchPlan::NotYet first = plan.not_yet().front();
  EXPECT_TRUE(is_one_sided(first.candidate));
  EXPECT_NEAR(first.seconds, 1.01e-3, 1e-5);
  EXPECT_NEAR(first.calls, 5000, 1) << "which take fifty times what beginning does";
  EXPECT_TRUE(plan.wanted(trials, 4999).empty());
  call(trials, {first.candidate}, seconds, 1);
  const std::vector<int> others = plan.wanted(trials, 100);
  EXPECT_TRUE(std::any_of(others.begin(), others.end(), is_one_sided)) << "it has begun";
}

TEST(SearchPlan, PutsOffNoKindThatWouldNotBeTriedLater) {
  for (const auto set : {+[](StrategySettings& settings) { settings.give_up = false; },
                         +[](StrategySettings& settings) { settings.drift = 0; },
                         +[](StrategySettings& settings) { settings.early_stop_margin = 0; }}) {
    Brief brief = with_dear_kind();
    set(brief.settings);
    WithEarlyStop plan(brief);
    Trials trials(brief);
    const std::vector<int> wanted = plan.wanted(trials, 0);
    EXPECT_EQ(wanted.size(), brief.candidates.size());
    EXPECT_TRUE(plan.not_yet().empty());
  }
}

TEST(SearchPlan, PutsOffNotTheOnlyKindThatMayServe) {
  Brief brief = with_dear_kind();
  for (Candidate& one : brief.candidates.own())
    if (one.kind.text() != "one-sided") one.refusal = "not wanted";
  WithEarlyStop plan(brief);
  Trials trials(brief);
  EXPECT_FALSE(plan.wanted(trials, 0).empty());
}

/// Exchanges pair by pair take 1.6 times as long, and all differ besides: others of the kind may be better, and are
/// asked for one by one; where all are alike, an agreement takes longer than their calls, and several begin together.
TEST(SearchPlan, TriesAloneWhatIsProbablySlow) {
  constexpr std::int64_t many = std::int64_t{1} << 40;  // so that trying them pays
  const Brief brief = halo_set();
  const auto largest_begun = [&](const std::vector<double>& seconds) {
    Beginning few(brief);
    Trials trials(brief);
    for (std::vector<int> next = few.wanted(trials, 0); !next.empty(); next = few.wanted(trials, 0))
      call(trials, next, seconds, 10);
    WithEarlyStop plan(brief);
    std::size_t slow_together = 0;
    std::size_t together = 0;
    for (std::vector<int> next = plan.wanted(trials, many); !next.empty(); next = plan.wanted(trials, many)) {
      const auto slow = std::count_if(next.begin(), next.end(),
                                      [&](int one) { return seconds[static_cast<std::size_t>(one)] > 1.4e-3; });
      slow_together = std::max(slow_together, static_cast<std::size_t>(slow));
      together = std::max(together, next.size());
      call(trials, next, seconds, 10);
    }
    return std::pair{slow_together, together};
  };
  std::vector<double> alike = slow_with(brief, "none");
  for (std::size_t i = 0; i < alike.size(); ++i) alike[i] *= 1 + (0.01 * static_cast<double>(i % 7));
  EXPECT_GT(largest_begun(alike).second, 1U);
  std::vector<double> slower = alike;
  for (std::size_t i = 0; i < slower.size(); ++i) {
    slower[i] = 1e-3 * (1 + (0.05 * static_cast<double>(i % 7)));
    if (value_of(brief.candidates[i], "partners") == "pair") slower[i] *= 1.6;
  }
  EXPECT_EQ(largest_begun(slower).first, 1U);
}

}  // namespace
}  // namespace starling::testing
