#include "measurement/samples.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace starling::testing {
namespace {

TEST(Samples, KnowNothingAtFirst) {
  const Samples samples;
  EXPECT_EQ(samples.count(), 0);
  EXPECT_FALSE(samples.min() || samples.median());
}

TEST(Samples, AreDescribedByCountMinimumAndMedian) {
  Samples samples;
  for (const double seconds : {4.0, 1.0, 2.0, 9.0}) samples.add(seconds);
  EXPECT_EQ(samples.count(), 4);
  EXPECT_EQ(samples.min(), 1);
  EXPECT_EQ(samples.median(), 3);
}

TEST(Samples, TakeTheMedianOfTheLastWindowAndTheMinimumOfAll) {
  Samples samples;
  samples.add(0.5);
  for (std::size_t i = 0; i < Samples::window; ++i) samples.add(100);
  for (std::size_t i = 0; i < Samples::window; ++i) samples.add(static_cast<double>(i));
  EXPECT_EQ(samples.count(), 1 + 2 * static_cast<int>(Samples::window));
  EXPECT_EQ(samples.median(), (static_cast<double>(Samples::window) - 1) / 2);
  EXPECT_EQ(samples.min(), 0);
  samples.add(1000);
  EXPECT_EQ(samples.median(), (static_cast<double>(Samples::window) + 1) / 2) << "1, 2, ..., 59, 1000";
}

TEST(Samples, KeepTheirMedianWhenTheyAreCondensedUntilThereAreOthers) {
  Samples samples;
  for (const double seconds : {4.0, 1.0, 9.0}) samples.add(seconds);
  samples.condense();
  EXPECT_EQ(samples.count(), 3);
  EXPECT_EQ(samples.min(), 1);
  EXPECT_EQ(samples.median(), 4);
  samples.add(7);
  EXPECT_EQ(samples.count(), 4);
  EXPECT_EQ(samples.median(), 7);
  for (int i = 0; i < 100; ++i) samples.add(2);
  EXPECT_EQ(samples.median(), 2);
}

}  // namespace
}  // namespace starling::testing
