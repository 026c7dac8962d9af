#include "selection/strategy.hpp"

#include <gtest/gtest.h>

#include <set>

#include "selection/figures.hpp"

namespace starling::testing {
namespace {

TEST(StrategyNames, AreThoseOfTheCommandLine) {
  for (const char* name : {"native", "forced", "star-basic"}) {
    const auto found = strategy_named(name);
    ASSERT_TRUE(found) << name;
    EXPECT_EQ(found->first->name, name);
    EXPECT_EQ(found->second, "");
  }
}

TEST(StrategyNames, TakeAnArgumentOnlyWhereTheKindDoes) {
  ASSERT_TRUE(strategy_named("forced:allreduce:ring"));
  EXPECT_EQ(strategy_named("forced:allreduce:ring")->second, "allreduce:ring");
  EXPECT_FALSE(strategy_named("native:ring"));
  EXPECT_FALSE(strategy_named("star-basic:"));
}

TEST(StrategyNames, AreNotGuessed) {
  for (const char* name : {"", "sta", "stars", "Native", "native ", "forcedring"})
    EXPECT_FALSE(strategy_named(name)) << name;
}

TEST(EveryStrategy, HasANameOfItsOwnASentenceAndASource) {
  std::set<std::string_view> seen;
  for (const StrategyKind& kind : strategy_kinds()) {
    EXPECT_TRUE(seen.insert(kind.name).second) << kind.name;
    EXPECT_FALSE(kind.says.empty()) << kind.name;
    EXPECT_FALSE(kind.source.empty()) << kind.name;
    EXPECT_EQ(kind.rejects != nullptr, kind.takes_argument) << kind.name;
    ASSERT_NE(kind.make, nullptr) << kind.name;
  }
}

TEST(Figures, HaveThreeDigits) {
  EXPECT_EQ(in_microseconds(0), "0.00 us");
  EXPECT_EQ(in_microseconds(8.254e-6), "8.25 us");
  EXPECT_EQ(in_microseconds(9.999e-6), "10.0 us");
  EXPECT_EQ(in_microseconds(12.34e-6), "12.3 us");
  EXPECT_EQ(in_microseconds(99.99e-6), "100 us");
  EXPECT_EQ(in_microseconds(1.52e-3), "1520 us");
  EXPECT_EQ(in_digits(1.1), "1.1");
  EXPECT_EQ(in_digits(1 + 0.05), "1.05");
}

}  // namespace
}  // namespace starling::testing
