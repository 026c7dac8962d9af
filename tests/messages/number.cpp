#include "messages/number.hpp"

#include <gtest/gtest.h>

#include <cstdint>

namespace starling::testing {
namespace {

TEST(NumberIn, IsTheWholeText) {
  EXPECT_EQ(number_in<int>("12"), 12);
  EXPECT_EQ(number_in<std::int64_t>("-8589934592"), -8589934592);
  EXPECT_EQ(number_in<double>("1.5e3"), 1500);
  for (const char* const text : {"", " 12", "12 ", "+12", "1.5", "0x10", "twelve"})
    EXPECT_FALSE(number_in<int>(text)) << text;
}

TEST(NumberIn, IsNothingThatDoesNotFit) {
  EXPECT_FALSE(number_in<int>("8589934592"));
  EXPECT_FALSE(number_in<double>("1e999"));
}

TEST(NumberIn, StaysWithinBounds) {
  EXPECT_EQ(number_in<int>("3", 3, 5), 3);
  EXPECT_EQ(number_in<int>("5", 3, 5), 5);
  EXPECT_FALSE(number_in<int>("2", 3, 5));
  EXPECT_FALSE(number_in<int>("6", 3, 5));
  EXPECT_FALSE(number_in<double>("nan", 0, 5));
}

}  // namespace
}  // namespace starling::testing
