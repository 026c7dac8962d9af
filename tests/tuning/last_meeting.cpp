#include "tuning/last_meeting.hpp"

#include <gtest/gtest.h>

namespace starling::testing {
namespace {

constexpr std::uint64_t rows = 7;
constexpr std::uint64_t columns = 8;

TEST(LastMeeting, TellsHowLongAgoAllRanksOfACommunicatorMet) {
  LastMeeting last;
  EXPECT_EQ(last.since(rows, 1024, 16, 5), LastMeeting::never) << "no collective so far";
  last.all_met(rows, 4, 8, 2);
  EXPECT_DOUBLE_EQ(last.since(rows, 1024, 16, 5), 3);
  EXPECT_EQ(last.since(columns, 1024, 16, 5), LastMeeting::never) << "other ranks";
  last.all_met(columns, 16, 0, 4);
  EXPECT_DOUBLE_EQ(last.since(rows, 1024, 16, 5), 1) << "all ranks of the program met, as in a barrier";
  last.forget();
  EXPECT_EQ(last.since(rows, 1024, 16, 5), LastMeeting::never);
}

TEST(LastMeeting, DoesNotCountWhereRanksMayHaveLeftItAtDifferentTimes) {
  LastMeeting last;
  last.all_met(rows, 4, 128, 2);
  EXPECT_EQ(last.since(rows, 2048, 4, 3), LastMeeting::never);
  EXPECT_DOUBLE_EQ(last.since(rows, 2049, 4, 3), 1);
  EXPECT_EQ(last.since(rows, 128, 4, 3), LastMeeting::never) << "the same call again";
  EXPECT_EQ(last.since(rows, -1, 4, 3), LastMeeting::never) << "unknown size";
  last.all_met(rows, 4, -1, 2);
  EXPECT_EQ(last.since(rows, 1 << 20, 4, 3), LastMeeting::never);
  last.all_met(rows, 4, 0, 2);
  EXPECT_EQ(last.since(rows, 0, 4, 3), LastMeeting::never) << "a barrier after a barrier";
}

}  // namespace
}  // namespace starling::testing
