#include "measurement/statistics.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

namespace starling::testing {
namespace {

using Values = std::vector<double>;

double sorted_median(Values values) {
  std::sort(values.begin(), values.end());
  const std::size_t half = values.size() / 2;
  return values.size() % 2 == 1 ? values[half] : (values[half - 1] + values[half]) / 2;
}

double sorted_quantile(Values values, double share) {
  std::sort(values.begin(), values.end());
  const double place = share * static_cast<double>(values.size() - 1);
  const auto below = static_cast<std::size_t>(place);
  const std::size_t above = std::min(below + 1, values.size() - 1);
  return values[below] + (place - static_cast<double>(below)) * (values[above] - values[below]);
}

TEST(Statistics, AgreeWithSortedReferences) {
  const unsigned seed = std::random_device{}();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937 generator(seed);
  std::lognormal_distribution<double> times(-11, 1);
  for (std::size_t size = 1; size <= 130; ++size) {
    Values values(size);
    for (double& value : values) value = times(generator);
    EXPECT_NEAR(median(values), sorted_median(values), 1e-15);
    for (const double share : {0.0, 0.05, 0.25, 0.9, 1.0})
      EXPECT_NEAR(quantile(values, share), sorted_quantile(values, share), 1e-15) << size << " samples, " << share;
  }
}

TEST(Statistics, AreKnownOnSmallSamples) {
  EXPECT_EQ(median(Values{3, 1, 2}), 2);
  EXPECT_EQ(median(Values{4, 1, 2, 3}), 2.5);
  EXPECT_EQ(quantile(Values{10, 20, 30, 40, 50}, 0.9), 46);
}

TEST(Statistics, AreUnknownWithoutSamples) {
  EXPECT_TRUE(std::isnan(median({})));
  EXPECT_TRUE(std::isnan(quantile({}, 0.5)));
  EXPECT_TRUE(std::isnan(filtered_mean({})));
}

TEST(FilteredMean, LeavesOutASampleOfThreeTimesTheSmallest) {
  EXPECT_EQ(filtered_mean(Values{1, 1, 1, 1, 1, 3}), 1);
  EXPECT_NEAR(filtered_mean(Values{1, 1, 1, 1, 1, 2.99}), 7.99 / 6, 1e-12);
}

TEST(FilteredMean, IsThePlainMeanWhereAFifthOrMoreAreOutliers) {
  EXPECT_EQ(filtered_mean(Values{1, 1, 1, 1, 6}), 2) << "1 of 5 is 20 %";
  EXPECT_EQ(filtered_mean(Values{1, 1, 1, 1, 1, 1, 1, 1, 1, 100}), 1) << "1 of 10 is not";
  EXPECT_NEAR(filtered_mean(Values{1, 10, 10}), 7, 1e-12);
}

TEST(FilteredMean, TakesOtherBounds) {
  EXPECT_EQ(filtered_mean(Values{1, 1, 1, 1, 6}, {.factor = 3, .fraction = 0.21}), 1);
  EXPECT_EQ(filtered_mean(Values{1, 1, 1, 1, 6}, {.factor = 7, .fraction = 0.5}), 2);
}

}  // namespace
}  // namespace starling::testing
