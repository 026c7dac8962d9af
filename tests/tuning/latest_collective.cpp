#include "tuning/latest_collective.hpp"

#include <gtest/gtest.h>

namespace starling::testing {
namespace {

constexpr std::uint64_t rows = 7;
constexpr std::uint64_t columns = 8;

TEST(LatestCollective, TellsHowLongAgoAllRanksOfACommunicatorMet) {
  LatestCollective last(1);
  EXPECT_EQ(last.since_all_met(rows, 1024, 16, 5), LatestCollective::never) << "no collective so far";
  EXPECT_DOUBLE_EQ(last.since_end(5), 4);
  last.all_met(rows, 4, 8, 2);
  EXPECT_DOUBLE_EQ(last.since_all_met(rows, 1024, 16, 5), 3);
  EXPECT_EQ(last.since_all_met(columns, 1024, 16, 5), LatestCollective::never) << "other ranks";
  last.all_met(columns, 16, 0, 4);
  EXPECT_DOUBLE_EQ(last.since_all_met(rows, 1024, 16, 5), 1) << "all ranks of the program met, as in a barrier";
  last.ended(4.5);
  EXPECT_EQ(last.since_all_met(rows, 1024, 16, 5), LatestCollective::never);
  EXPECT_DOUBLE_EQ(last.since_end(5), 0.5);
  last.all_met(rows, 4, 8, 6);
  last.not_followed();
  EXPECT_EQ(last.since_all_met(rows, 1024, 16, 8), LatestCollective::never);
  EXPECT_DOUBLE_EQ(last.since_end(8), 2);
}

TEST(LatestCollective, KnowsWhoseItWas) {
  LatestCollective last(1);
  const int context = 0;
  EXPECT_FALSE(last.was_by(&context));
  last.all_met(rows, 4, 8, 2);
  last.is_by(&context);
  EXPECT_TRUE(last.was_by(&context));
  EXPECT_DOUBLE_EQ(last.since_all_met(rows, 1024, 16, 5), 3);
  last.ended_untimed();
  EXPECT_TRUE(last.was_by(&context));
  EXPECT_EQ(last.since_all_met(rows, 1024, 16, 5), LatestCollective::never);
  last.not_followed();
  EXPECT_FALSE(last.was_by(&context));
}

TEST(LatestCollective, DoesNotCountWhereRanksMayHaveLeftItAtDifferentTimes) {
  LatestCollective last(1);
  last.all_met(rows, 4, 128, 2);
  EXPECT_EQ(last.since_all_met(rows, 2048, 4, 3), LatestCollective::never);
  EXPECT_DOUBLE_EQ(last.since_all_met(rows, 2049, 4, 3), 1);
  EXPECT_EQ(last.since_all_met(rows, 128, 4, 3), LatestCollective::never) << "the same call again";
  EXPECT_EQ(last.since_all_met(rows, -1, 4, 3), LatestCollective::never) << "unknown size";
  last.all_met(rows, 4, -1, 2);
  EXPECT_EQ(last.since_all_met(rows, 1 << 20, 4, 3), LatestCollective::never);
  last.all_met(rows, 4, 0, 2);
  EXPECT_EQ(last.since_all_met(rows, 0, 4, 3), LatestCollective::never) << "a barrier after a barrier";
}

}  // namespace
}  // namespace starling::testing
