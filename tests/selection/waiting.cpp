#include "selection/waiting.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace starling {
namespace {

/// A call of each candidate; returns whether ranks begin or cease to wait.
bool one_of_each(Waiting& waiting, const std::vector<AgreedCall>& calls) {
  std::vector<PlannedCalls> plan;
  for (int candidate = 0; candidate < static_cast<int>(calls.size()); ++candidate)
    plan.push_back({candidate, 1, false});
  return waiting.has_changed(plan, calls);
}

TEST(Waiting, BeginsWhereEveryCandidateMakesRanksWaitAndEndsWhereOneDoesNot) {
  Waiting waiting(true);
  EXPECT_FALSE(one_of_each(waiting, {{10e-3, 9e-3, 0}, {10e-3, 2e-3, 0}}));
  EXPECT_FALSE(waiting);
  bool began = false;
  for (int i = 0; i < 20; ++i) began = began || one_of_each(waiting, {{10e-3, 2e-3, 0}, {10e-3, 1e-3, 0}});
  EXPECT_TRUE(began);
  EXPECT_TRUE(waiting);
  bool ended = false;
  for (int i = 0; i < 20; ++i) ended = ended || one_of_each(waiting, {{10e-3, 2e-3, 0}, {2e-3, 1.9e-3, 0}});
  EXPECT_TRUE(ended);
  EXPECT_FALSE(waiting);
}

TEST(Waiting, DoesNotBeginWithOneCandidateAlone) {
  Waiting waiting(true);
  for (int i = 0; i < 20; ++i) EXPECT_FALSE(one_of_each(waiting, {{10e-3, 1e-3, 0}}));
  EXPECT_FALSE(waiting);
}

TEST(Waiting, TellsWithWhichCandidateTheSlowestRankTakesLonger) {
  Waiting waiting(true);
  one_of_each(waiting, {{10e-3, 2e-3, 0}, {13e-3, 1e-3, 0}, {9e-3, 1e-3, 0}});
  ASSERT_TRUE(waiting);
  EXPECT_FALSE(waiting.delays(0));
  EXPECT_TRUE(waiting.delays(1));
  EXPECT_FALSE(waiting.delays(2));
}

TEST(Waiting, ADifferenceWithinTheScatterIsNone) {
  Waiting waiting(true);
  for (int i = 0; i < 30; ++i) {
    const double scatter = i % 2 == 0 ? 1 : 4;
    one_of_each(waiting, {{10e-3 * scatter, 1e-3, 0}, {12e-3 * scatter, 1e-3, 0}});
  }
  ASSERT_TRUE(waiting);
  EXPECT_FALSE(waiting.delays(1));
  for (int i = 0; i < 30; ++i) one_of_each(waiting, {{10e-3, 1e-3, 0}, {12e-3, 1e-3, 0}});
  EXPECT_TRUE(waiting.delays(1));
}

TEST(Waiting, NothingDelaysWhereRanksDoNotWait) {
  Waiting waiting(true);
  one_of_each(waiting, {{2e-3, 1.9e-3, 0}, {9e-3, 8e-3, 0}});
  EXPECT_FALSE(waiting.delays(1));
}

}  // namespace
}  // namespace starling
