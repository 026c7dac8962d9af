#include "measurement/short_time.hpp"

#include <gtest/gtest.h>

#include <limits>

namespace starling::testing {
namespace {

TEST(ShortTime, KeepsTimesToOnePartIn2048) {
  for (double seconds = 1e-12; seconds < 1.5e7; seconds *= 1.0173)
    EXPECT_NEAR(ShortTime(seconds).seconds(), seconds, seconds / 2048) << seconds;
}

TEST(ShortTime, KeepsSmallWholeNumbersAndNothing) {
  for (int seconds = 0; seconds <= 2048; ++seconds) EXPECT_EQ(ShortTime(seconds).seconds(), seconds);
  EXPECT_EQ(ShortTime().seconds(), 0);
}

TEST(ShortTime, TakesWhatNoTimeIsForTheNextThatOneIs) {
  EXPECT_EQ(ShortTime(-1).seconds(), 0);
  EXPECT_EQ(ShortTime(1e-30).seconds(), 0);
  const double longest = ShortTime(std::numeric_limits<double>::infinity()).seconds();
  EXPECT_GT(longest, 1.5e7);
  EXPECT_EQ(ShortTime(1e30).seconds(), longest);
}

}  // namespace
}  // namespace starling::testing
