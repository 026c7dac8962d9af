#include "schedule/plan_holders.hpp"

#include <gtest/gtest.h>

namespace starling::testing {
namespace {

struct Keeper {
  std::size_t bytes = 0;
  [[nodiscard]] std::size_t kept_bytes() const { return bytes; }
  void drop_plans() { bytes = 0; }
};

constexpr std::size_t third = PlanHolders<Keeper>::most_bytes / 3;

TEST(PlanHolders, KeepAllPlansThatFit) {
  PlanHolders<Keeper> all;
  Keeper one{third};
  Keeper two{third};
  Keeper three{third};
  for (Keeper* each : {&one, &two, &three}) all.made(*each);
  EXPECT_EQ(one.bytes + two.bytes + three.bytes, 3 * third);
}

TEST(PlanHolders, DropThoseOfTheHolderThatMadeOneLongestAgo) {
  PlanHolders<Keeper> all;
  Keeper one{third};
  Keeper two{third};
  Keeper three{third};
  for (Keeper* each : {&one, &two, &three, &one}) all.made(*each);
  Keeper four{third};
  all.made(four);
  EXPECT_EQ(two.bytes, 0) << "one has made another since";
  EXPECT_EQ(one.bytes + three.bytes + four.bytes, 3 * third);
}

TEST(PlanHolders, LeaveTheLatestItsPlansHoweverLarge) {
  PlanHolders<Keeper> all;
  Keeper one{third};
  Keeper two{4 * third};
  all.made(one);
  all.made(two);
  EXPECT_EQ(one.bytes, 0);
  EXPECT_EQ(two.bytes, 4 * third);
}

TEST(PlanHolders, ForgetAHolderWithoutPlans) {
  PlanHolders<Keeper> all;
  Keeper one{third};
  Keeper two{3 * third};
  all.made(one);
  all.dropped(one);
  all.made(two);
  EXPECT_EQ(one.bytes, third) << "it was not asked to drop anything";
}

}  // namespace
}  // namespace starling::testing
