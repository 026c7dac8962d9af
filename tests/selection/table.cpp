#include <gtest/gtest.h>

#include "lockstep.hpp"
#include "selection/strategy.hpp"

namespace starling::testing {
namespace {

double some_time(int rank, int candidate, int call) {
  return 1e-6 * (1 + ((rank + (3 * candidate) + (5 * call)) % 7));
}

Lockstep following(std::vector<Advice> advice, int refused = -1) {
  Brief brief = brief_of(4);
  brief.advice = std::move(advice);
  if (refused >= 0) brief.candidates[static_cast<std::size_t>(refused)].refusal = "4 does not divide 7";
  Lockstep ranks("table", std::move(brief), 3, some_time);
  ranks.call(20);
  return ranks;
}

TEST(Table, FollowsTheNearestEntryAndAsksNobody) {
  const Lockstep ranks = following({{"a2", "a2: measured here"}, {"a1", "a1: measured elsewhere"}});
  EXPECT_EQ(ranks.made(), std::vector<int>(20, 2));
  EXPECT_TRUE(ranks.exchanges().empty());
  EXPECT_EQ(ranks.strategy().stage(), "table");
  EXPECT_FALSE(ranks.strategy().exploring());
  ASSERT_EQ(ranks.strategy().decisions().size(), 1U);
  EXPECT_EQ(ranks.strategy().decisions()[0].to, 2);
  EXPECT_EQ(ranks.strategy().decisions()[0].why, "a2: measured here");
}

TEST(Table, TakesTheNextEntryWhereTheNearestCannotServe) {
  const Lockstep ranks = following({{"a2", "a2: measured here"}, {"a1", "a1: measured elsewhere"}}, 2);
  EXPECT_EQ(ranks.proposed(), 1);
  EXPECT_EQ(ranks.strategy().decisions()[0].why,
            "a1: measured elsewhere; a2 of a nearer entry cannot serve here: 4 does not divide 7");
}

TEST(Table, IsNativeWhereNothingServes) {
  const Lockstep ranks = following({{"a2", "a2: measured here"}, {"gone", "gone: measured elsewhere"}}, 2);
  EXPECT_EQ(ranks.made(), std::vector<int>(20, 0));
  EXPECT_EQ(ranks.strategy().stage(), "native");
  EXPECT_EQ(ranks.strategy().decisions()[0].to, 0);
  EXPECT_EQ(ranks.strategy().decisions()[0].why,
            "native: nothing that the table has can serve here; a2 of a nearer entry cannot serve here: 4 does not "
            "divide 7; gone of a nearer entry cannot serve here");
}

TEST(Table, IsNativeWhereTheTableHasNothing) {
  const Lockstep ranks = following({});
  EXPECT_EQ(ranks.proposed(), 0);
  EXPECT_EQ(ranks.strategy().decisions()[0].why, "native: the table has nothing for this context");
}

TEST(Table, MayHaveNativeLikeAnyOther) {
  const Lockstep ranks = following({{"native", "native: nothing is faster"}, {"a1", "a1: measured elsewhere"}});
  EXPECT_EQ(ranks.proposed(), 0);
  EXPECT_EQ(ranks.strategy().stage(), "table");
}

TEST(Precedence, IsForcedOrNativeThenTheTableThenWhatLearns) {
  const auto chosen = [](std::string_view asked, bool advises) {
    return strategy_for(*strategy_named(asked)->first, advises).name;
  };
  for (const StrategyKind& kind : strategy_kinds()) {
    EXPECT_EQ(chosen(kind.name, false), kind.name);
    EXPECT_EQ(chosen(kind.name, true), kind.learns ? "table" : kind.name);
  }
  EXPECT_EQ(chosen("auto", true), "table");
  EXPECT_EQ(chosen("native", true), "native");
  EXPECT_EQ(chosen("forced", true), "forced");
}

}  // namespace
}  // namespace starling::testing
