#include "profile/call_order.hpp"

#include <gtest/gtest.h>

namespace starling::testing {
namespace {

const CallOrder::Kind small{.operation = 1, .ranks = 4, .bytes = 8};
const CallOrder::Kind large{.operation = 2, .ranks = 4, .bytes = 4096};
const CallOrder::Kind another_kind{.operation = 3, .ranks = 2, .bytes = -1};

TEST(CallOrder, CountsWhatFollowsWhatAndTheTimeBetween) {
  CallOrder order;
  const int first = order.number_of(small);
  const int second = order.number_of(large);
  EXPECT_EQ(order.number_of(small), first);
  double now = 0;
  for (int round = 0; round < 10; ++round) {
    order.follow(first, now, now + 1);
    order.follow(second, now + 1.5, now + 2);
    now += 2.25;
  }
  const auto pairs = order.pairs(10);
  ASSERT_EQ(pairs.size(), 2U);
  EXPECT_EQ(pairs[0].from, small);
  EXPECT_EQ(pairs[0].to, large);
  EXPECT_EQ(pairs[0].calls, 10);
  EXPECT_DOUBLE_EQ(pairs[0].seconds_between, 5);
  EXPECT_EQ(pairs[1].calls, 9);
  EXPECT_DOUBLE_EQ(pairs[1].seconds_between, 9 * 0.25);
  EXPECT_EQ(order.calls(), 19);
  EXPECT_EQ(order.pairs(1).size(), 1U);
}

TEST(CallOrder, TellsSuccessorsApart) {
  CallOrder order;
  const int a = order.number_of(small);
  const int b = order.number_of(large);
  const int c = order.number_of(another_kind);
  for (int round = 0; round < 6; ++round)
    for (const int next : {a, b, a, c, a, a}) order.follow(next, 0, 0);
  std::int64_t from_small = 0;
  for (const CallOrder::Pair& pair : order.pairs(10))
    if (pair.from == small) from_small += pair.calls;
  EXPECT_EQ(order.pairs(10).size(), 5U);  // a a, a b, a c, b a, c a
  EXPECT_EQ(from_small, 23);
  EXPECT_EQ(order.calls(), 35);
}

TEST(CallOrder, StaysBoundedAndCountsWhatItDoesNotKeep) {
  CallOrder order;
  const int kinds = 3000;
  for (int round = 0; round < 2; ++round) {
    for (int kind = 0; kind < kinds; ++kind) {
      order.follow(order.number_of({.operation = 1, .ranks = 4, .bytes = kind}), 0, 0);
      order.follow(order.number_of(small), 0, 0);
    }
  }
  EXPECT_LE(order.pairs(1'000'000).size(), CallOrder::most_pairs);
  std::int64_t kept = 0;
  for (const CallOrder::Pair& pair : order.pairs(1'000'000)) kept += pair.calls;
  EXPECT_LT(kept, order.calls());
}

}  // namespace
}  // namespace starling::testing
