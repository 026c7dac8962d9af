#include "lockstep.hpp"

namespace starling::testing {
namespace {

Brief asking_for(std::string argument) {
  Brief brief = brief_of(4);
  brief.candidates.own()[3].name = "chain?segment=8192";
  brief.candidates.own()[2].refusal = "needs a commutative operator";
  brief.argument = std::move(argument);
  return brief;
}

double any_time(int /*rank*/, int /*candidate*/, int call) {
  return 1e-6 * (call + 1);
}

void expect_always(int candidate, Lockstep& ranks) {
  ranks.call(1000);
  for (const int made : ranks.made()) ASSERT_EQ(made, candidate);
  EXPECT_TRUE(ranks.exchanges().empty());
  EXPECT_FALSE(ranks.strategy().exploring());
}

TEST(Native, LeavesEveryCallToTheLibraryAndExchangesNothing) {
  Lockstep ranks("native", brief_of(5), 3, any_time);
  expect_always(0, ranks);
  EXPECT_EQ(ranks.strategy().stage(), "native");
  EXPECT_TRUE(ranks.strategy().decisions().empty());
}

TEST(Forced, UsesTheCandidateThatIsAskedFor) {
  Lockstep ranks("forced", asking_for("chain?segment=8192"), 3, any_time);
  expect_always(3, ranks);
  EXPECT_EQ(ranks.strategy().stage(), "forced");
  ASSERT_EQ(ranks.strategy().decisions().size(), 1U);
  EXPECT_EQ(ranks.strategy().decisions()[0].to, 3);
}

TEST(Forced, StaysNativeAndSaysWhyWhereTheCandidateCannotServe) {
  Lockstep ranks("forced", asking_for("a2"), 3, any_time);
  expect_always(0, ranks);
  EXPECT_EQ(ranks.strategy().stage(), "native");
  ASSERT_EQ(ranks.strategy().decisions().size(), 1U);
  const Decision& decision = ranks.strategy().decisions()[0];
  EXPECT_EQ(decision.to, 0);
  EXPECT_EQ(decision.why, "'a2' was asked for and cannot serve here: needs a commutative operator");
}

TEST(Forced, StaysNativeAndSaysWhyWhereThereIsNoSuchCandidate) {
  Lockstep ranks("forced", asking_for("swing"), 3, any_time);
  expect_always(0, ranks);
  ASSERT_EQ(ranks.strategy().decisions().size(), 1U);
  EXPECT_EQ(ranks.strategy().decisions()[0].why, "'swing' was asked for and is not a candidate here");
}

TEST(Forced, StaysNativeWhereNothingIsAskedFor) {
  Lockstep ranks("forced", asking_for(""), 3, any_time);
  expect_always(0, ranks);
  EXPECT_EQ(ranks.strategy().stage(), "native");
  EXPECT_TRUE(ranks.strategy().decisions().empty());
}

}  // namespace
}  // namespace starling::testing
