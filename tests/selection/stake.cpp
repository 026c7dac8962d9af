#include "selection/stake.hpp"

#include <gtest/gtest.h>

namespace starling::testing {
namespace {

constexpr double of_native = 0.001;

/// Of a context with so many calls in earlier runs; a trial needs 0.02 s.
Brief after(std::int64_t calls_before = 0) {
  Brief one;
  Candidate& first = one.candidates.own().emplace_back();
  if (calls_before > 0) first.earlier = Earlier{of_native, calls_before};
  one.calls_before = calls_before;
  return one;
}

TEST(Stake, AllowsTrialsOnceCallsTookLongEnough) {
  Stake stake(after(), 1);
  stake.add(0.019);
  EXPECT_FALSE(stake.is_enough_to_try(of_native));
  stake.add(0.001);
  EXPECT_TRUE(stake.is_enough_to_try(of_native));
}

TEST(Stake, CountsEarlierRunsAndCallsThatAreExpected) {
  EXPECT_FALSE(Stake(after(19), 1).is_enough_to_try(of_native));
  EXPECT_TRUE(Stake(after(20), 1).is_enough_to_try(of_native));
  EXPECT_FALSE(Stake(after(19), 1).is_enough_to_try(100 * of_native)) << "a slow first call is none of earlier runs";
  Stake stake(after(), 1);
  stake.know_native();
  EXPECT_TRUE(stake.is_enough_to_try(of_native)) << "20 calls at least are expected";
}

TEST(Stake, SpendsATenthOfWhatCallsTookToKnowMore) {
  Stake stake(after(), 1);
  stake.add(1);
  EXPECT_TRUE(stake.is_enough_to_predict(0.1, of_native));
  EXPECT_FALSE(stake.is_enough_to_predict(0.11, of_native));
  EXPECT_TRUE(stake.is_enough_to_measure(0.1, of_native, 0));
  EXPECT_FALSE(stake.is_enough_to_measure(0.11, of_native, 0));
  Stake careful(after(), 0.5);
  careful.add(1);
  EXPECT_FALSE(careful.is_enough_to_measure(0.06, of_native, 0)) << "half the budget, half the part";
}

TEST(Stake, MeasuresTheNetworkForEarlierRunsToo) {
  Stake stake(after(10000), 1);
  EXPECT_TRUE(stake.is_enough_to_measure(1, of_native, 0));
  EXPECT_FALSE(stake.is_enough_to_measure(1.01, of_native, 0));
  EXPECT_FALSE(stake.is_enough_to_predict(1, of_native)) << "predictions are not kept";
}

TEST(Stake, MeasuresTheNetworkForOtherContextsToo) {
  Stake stake(after(), 1);
  stake.add(0.2);
  EXPECT_TRUE(stake.is_enough_to_measure(0.1, of_native, 0.8));
  EXPECT_FALSE(stake.is_enough_to_measure(0.1, of_native, 0.79));
}

TEST(Stake, TellsHowManyCallsAreMissing) {
  Stake stake(after(), 1);
  stake.add(0.01);
  EXPECT_FALSE(stake.is_enough_to_measure(0.005, of_native, 0.01));  // from 0.05 s on
  EXPECT_EQ(stake.calls_until_enough(of_native, 10), 30);
  stake.add(1);
  EXPECT_EQ(stake.calls_until_enough(of_native, 11), 1);
}

}  // namespace
}  // namespace starling::testing
