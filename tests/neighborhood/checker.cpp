// The checker on wrong exchanges: each test breaks one rule, and the checker must say so.

#include "neighborhood/checker.hpp"

#include <gtest/gtest.h>

#include "grids.hpp"

namespace starling::neighborhood {
namespace {

constexpr int ranks_of_ring = 4;

std::vector<RankToCheck> ring() {
  const Grid grid = grid_of({ranks_of_ring}, {1});
  return halos_to_check(grid, uneven_blocks(grid, 2), 1, Corners::none);
}

std::vector<Steps> steps_of_all(const std::vector<RankToCheck>& ranks, const char* name) {
  std::vector<Steps> all;
  for (std::size_t rank = 0; rank < ranks.size(); ++rank)
    all.push_back(steps_of(ranks[rank].rounds, static_cast<int>(rank), *implementation_named(name)));
  return all;
}

void remove(Steps& steps, Act act) {
  std::erase_if(steps.all, [&](const Step& step) { return step.act == act; });
}

::testing::AssertionResult says(const std::string& mistake, const std::string& words) {
  if (mistake.find(words) != std::string::npos) return ::testing::AssertionSuccess();
  return ::testing::AssertionFailure() << "\"" << mistake << "\" lacks \"" << words << "\"";
}

TEST(NeighborhoodChecker, SendsThatAllComeFirstWaitForEver) {
  auto ranks = ring();
  for (RankToCheck& rank : ranks)
    for (Round& round : rank.rounds.all) round.sends_first = true;
  EXPECT_TRUE(says(check(ranks, *implementation_named("SendRecv_pair")), "waits for ever"));
}

TEST(NeighborhoodChecker, ABoxBesideItsPlaceShows) {
  auto ranks = ring();
  ranks[2].sends[0] = {2};  // the second inner cell instead of the first
  for (const Implementation& one : implementations()) EXPECT_TRUE(says(check(ranks, one), "and should have"));
}

TEST(NeighborhoodChecker, AMessageOfAnotherSizeShows) {
  auto ranks = ring();
  ranks[1].receives[0].clear();
  for (const Implementation& one : implementations()) EXPECT_NE(check(ranks, one), "") << one.name();
}

TEST(NeighborhoodChecker, ARankThatLeavesOutItsSendIsMissed) {
  const auto ranks = ring();
  auto steps = steps_of_all(ranks, "IsendIrecv_aao");
  remove(steps[3], Act::isend);
  remove(steps[3], Act::wait_send);
  EXPECT_TRUE(says(check(ranks, steps), "waits for ever"));
}

TEST(NeighborhoodChecker, AMessageNobodyWaitsForShows) {
  const auto ranks = ring();
  auto steps = steps_of_all(ranks, "IsendIrecv_aao");
  remove(steps[0], Act::wait_send);
  EXPECT_TRUE(says(check(ranks, steps), "ends before its messages"));
}

TEST(NeighborhoodChecker, WhatIsUnpackedMustHaveArrived) {
  const auto ranks = ring();
  auto steps = steps_of_all(ranks, "IsendIrecv_aao_pack");
  std::erase_if(steps[0].all, [](const Step& step) { return step.act == Act::wait_receive; });
  EXPECT_NE(check(ranks, steps), "");
}

TEST(NeighborhoodChecker, WhatIsSentMustBePacked) {
  const auto ranks = ring();
  auto steps = steps_of_all(ranks, "Sendrecv_pair_pack");
  remove(steps[1], Act::pack);
  EXPECT_TRUE(says(check(ranks, steps), "sends before it packs"));
}

TEST(NeighborhoodChecker, CellsThatAMessageMayWriteAreNotSent) {
  const Grid grid = grid_of({2, 2}, {1, 1});
  auto ranks = halos_to_check(grid, uneven_blocks(grid, 2), 1, Corners::by_dimension);
  // All dimensions at once: the second sends halo cells that the first receives.
  for (RankToCheck& rank : ranks) rank.rounds.stage_ends = {4};
  EXPECT_TRUE(says(check(ranks, *implementation_named("IsendIrecv_aao")), "may write"));
  EXPECT_TRUE(says(check(ranks, *implementation_named("WinfecePut_aao")), "in the same epoch"));
  EXPECT_NE(check(ranks, *implementation_named("PostStartGet_aao")), "");
}

TEST(NeighborhoodChecker, APutOutsideOfAnEpochShows) {
  const auto ranks = ring();
  auto steps = steps_of_all(ranks, "WinfecePut_aao");
  for (Steps& one : steps) std::swap(one.all[0], one.all[1]);
  EXPECT_TRUE(says(check(ranks, steps), "not accessed in an epoch"));
}

TEST(NeighborhoodChecker, AFenceThatOneLeavesOutIsMissed) {
  const auto ranks = ring();
  auto steps = steps_of_all(ranks, "WinfecePut_pair");
  remove(steps[2], Act::fence_next);
  EXPECT_NE(check(ranks, steps), "");
}

TEST(NeighborhoodChecker, AnEpochThatNobodyClosesShows) {
  const auto ranks = ring();
  auto steps = steps_of_all(ranks, "WinfeceGet_aao");
  for (Steps& one : steps) remove(one, Act::fence_close);
  EXPECT_NE(check(ranks, steps), "");
}

TEST(NeighborhoodChecker, AStartWithoutAPostWaitsForEver) {
  const auto ranks = ring();
  auto steps = steps_of_all(ranks, "PostStartPut_aao");
  remove(steps[1], Act::post);
  remove(steps[1], Act::wait_exposed);
  EXPECT_TRUE(says(check(ranks, steps), "waits for ever"));
}

TEST(NeighborhoodChecker, AGroupThatNamesTheWrongRankShows) {
  const auto ranks = ring();
  auto steps = steps_of_all(ranks, "PostStartGet_pair");
  steps[0].groups[0] = {2};
  EXPECT_NE(check(ranks, steps), "");
}

TEST(NeighborhoodChecker, AWindowWithTwoGroupsShows) {
  const auto ranks = ring();
  auto steps = steps_of_all(ranks, "PostStartPut_pair");
  for (Steps& one : steps)
    for (Step& step : one.all) step.window = 0;
  EXPECT_TRUE(says(check(ranks, steps), "has two groups"));
}

TEST(NeighborhoodChecker, AnExposureThatNobodyWaitsForShows) {
  const auto ranks = ring();
  auto steps = steps_of_all(ranks, "PostStartPut_aao");
  for (Steps& one : steps) remove(one, Act::wait_exposed);
  EXPECT_TRUE(says(check(ranks, steps), "ends before its messages or epochs do"));
}

TEST(NeighborhoodChecker, ACellThatIsReadWhileOthersMayPutToItShows) {
  auto ranks = ring();
  auto steps = steps_of_all(ranks, "WinfecePut_aao");
  ranks[1].sends[0] = ranks[1].receives[1];  // what rank 2 puts there
  EXPECT_TRUE(says(check(ranks, steps), "epoch"));
}

}  // namespace
}  // namespace starling::neighborhood
