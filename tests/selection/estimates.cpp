#include "selection/estimates.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

namespace starling::testing {
namespace {

/// Native and candidates of the groups a, a, b, b.
Estimates five() {
  return Estimates(std::make_shared<const GroupNumbers>(std::vector<Interned>{"native", "a", "a", "b", "b"}));
}

Belief predicted(double seconds) {
  return belief_of_model(seconds);
}

TEST(Prospect, IsWhatANormalDistributionGives) {
  // By numerical integration of max(0, 1 - e^z) and max(0, e^z - 1) for z normal with mean 0.1 and deviation 0.5.
  const Prospect one = prospect({std::log(2.0) + 0.1, 0.3}, {std::log(2.0), 0.4});
  double gain = 0;
  double loss = 0;
  constexpr int steps = 20000;
  for (int i = 0; i < steps; ++i) {
    const double x = -8 + (16.0 * (i + 0.5) / steps);
    const double weight = std::exp(-x * x / 2) / std::sqrt(2 * M_PI) * 16 / steps;
    const double ratio = std::exp(0.1 + (0.5 * x));
    (ratio < 1 ? gain : loss) += weight * std::abs(ratio - 1);
  }
  EXPECT_NEAR(one.gain, gain, 1e-6);
  EXPECT_NEAR(one.loss, loss, 1e-6);
}

TEST(Estimates, MeasuredTimesCountByTheirMedian) {
  Estimates all = five();
  for (const double seconds : {1.0, 1.1, 0.9, 50.0, 1.02}) all.add(1, seconds);
  all.update();
  EXPECT_NEAR(all.of(1).seconds(), 1.02, 0.03);
  EXPECT_EQ(all.measured(1), 5);
}

TEST(Estimates, TheErrorOfAMeasuredCandidateCorrectsTheOthersAndItsGroupMost) {
  Estimates all = five();
  for (int i = 0; i < 3; ++i) all.add(0, 1);
  for (int i = 1; i < 5; ++i) all.believe(i, predicted(1));
  all.update();
  EXPECT_NEAR(all.of(2).seconds(), 1, 1e-9);
  const double spread = all.of(4).spread;
  for (int i = 0; i < 3; ++i) all.add(1, 2);
  all.update();
  EXPECT_GT(all.of(2).seconds(), all.of(4).seconds());
  EXPECT_GT(all.of(4).seconds(), 1.05);
  EXPECT_LT(all.of(2).seconds(), 2);
  EXPECT_LT(all.of(4).spread, spread);
}

TEST(Estimates, AGroupThatTheModelIsVeryWrongAboutSaysLittleAboutOthers) {
  const auto expected = [](double measured) {
    Estimates all = five();
    for (int i = 0; i < 3; ++i) all.add(0, 1);
    for (int i = 1; i < 5; ++i) all.believe(i, predicted(1));
    for (int i = 0; i < 3; ++i) all.add(1, measured);
    all.update();
    return all.of(4).log_seconds;
  };
  EXPECT_GT(expected(1.5), 0.05);
  EXPECT_LT(expected(30), expected(1.5) * 4);
}

TEST(Estimates, OneTimeFarAboveWhatWasExpectedIsNotBelieved) {
  Estimates all = five();
  for (int i = 0; i < 3; ++i) all.add(0, 1);
  all.believe(1, predicted(1));
  all.add(1, 50);
  all.update();
  EXPECT_LT(all.of(1).seconds(), 4);
  all.add(1, 50);
  all.update();
  EXPECT_GT(all.of(1).seconds(), 40);
}

TEST(Estimates, WhereTimesScatterABeliefWeighsMore) {
  const auto estimate = [](double scatter) {
    Estimates all = five();
    for (int i = 0; i < 20; ++i) all.add(0, i % 2 == 0 ? std::exp(scatter) : std::exp(-scatter));
    all.believe(1, predicted(1));
    all.add(1, 0.5);
    all.update();
    return all.of(1).seconds();
  };
  EXPECT_NEAR(estimate(0.02), 0.5, 0.02);
  EXPECT_GT(estimate(1), 0.6);
}

TEST(Estimates, WithoutBeliefsACandidateIsExpectedNearItsGroupsBest) {
  Estimates all = five();
  for (int i = 0; i < 3; ++i) all.add(0, 1);
  all.update();
  EXPECT_GT(all.of(1).seconds(), 1.2);
  for (int i = 0; i < 3; ++i) all.add(1, 0.5);
  all.update();
  EXPECT_NEAR(all.of(2).seconds(), 0.5, 0.1);
  EXPECT_GT(all.of(3).seconds(), 1.2);
}

TEST(Estimates, ACandidateThatWasNotPredictedIsExpectedNearThePredictedOnesOfItsGroup) {
  Estimates all = five();
  for (int i = 0; i < 3; ++i) all.add(0, 1);
  all.believe(1, predicted(20));
  all.believe(3, predicted(0.2));
  all.update();
  EXPECT_GT(all.of(2).seconds(), 15);
  EXPECT_LT(all.of(4).seconds(), 0.3);
  EXPECT_GT(all.of(4).spread, all.of(3).spread);
  for (int i = 0; i < 3; ++i) all.add(3, 3);
  all.update();
  EXPECT_GT(all.of(4).seconds(), 2) << "what was measured counts more";
}

TEST(Estimates, AfterAChangeTimesAreBeliefsWithAnErrorInCommon) {
  Estimates all = five();
  for (int i = 0; i < 5; ++i)
    for (int candidate = 0; candidate < 5; ++candidate) all.add(candidate, 1 + candidate);
  all.age();
  all.update();
  EXPECT_EQ(all.measured(3), 0);
  EXPECT_NEAR(all.of(3).seconds(), 4, 1e-6);
  for (int i = 0; i < 3; ++i) all.add(0, 3);  // native takes three times as long now
  all.update();
  EXPECT_GT(all.of(3).seconds(), 5);
}

TEST(Estimates, OnlyTheLatestTimesAreKept) {
  Estimates all = five();
  for (int i = 0; i < 200; ++i) all.add(1, 1);
  for (int i = 0; i < 49; ++i) all.add(1, 2);
  all.update();
  EXPECT_NEAR(all.median(1), 2, 1e-6);
}

TEST(Estimates, WhatIsForgottenIsBelievedOnly) {
  Estimates all = five();
  all.believe(1, predicted(2));
  for (const double seconds : {4.0, 3.0, 5.0}) all.add(1, seconds);
  EXPECT_NEAR(all.shortest(1), 3, 1e-6);
  all.forget(1);
  all.update();
  EXPECT_EQ(all.measured(1), 0);
  EXPECT_EQ(all.shortest(1), 0);
  EXPECT_NEAR(all.of(1).seconds(), 2, 1e-6);
}

}  // namespace
}  // namespace starling::testing
