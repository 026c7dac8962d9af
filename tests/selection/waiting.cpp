#include "selection/waiting.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "selection/chance.hpp"

namespace starling::testing {
namespace {

constexpr double ms = 1e-3;

/// A call whose ranks wait so long in the mean, and at most twice as long.
AgreedCall waited(double fastest, double waiting) {
  return {fastest + (2 * waiting), fastest, fastest + waiting, 0};
}

/// Takes two calls in a row of each candidate, with their seconds.
void take(Waiting& waiting, const std::vector<AgreedCall>& calls) {
  for (int candidate = 0; candidate < static_cast<int>(calls.size()); ++candidate) {
    const AgreedCall& call = calls[static_cast<std::size_t>(candidate)];
    waiting.take(std::vector<PlannedCalls>{{candidate, 2, false}}, std::vector<AgreedCall>{call, call});
  }
}

/// Takes a call of a candidate right after an agreement.
void take_first(Waiting& waiting, int candidate, const AgreedCall& call) {
  waiting.take(std::vector<PlannedCalls>{{candidate, 1, true}}, std::vector<AgreedCall>{call});
}

TEST(Waiting, OfOneCandidateAloneIsItsOwnButAtMostAsLongAsItWorks) {
  Waiting waiting(true);
  for (int i = 0; i < 20; ++i) take(waiting, {waited(1 * ms, 9 * ms)});
  EXPECT_NEAR(waiting.seconds(0, waited(1 * ms, 9 * ms)), 2 * ms, 1e-6);
  Waiting little(true);
  for (int i = 0; i < 20; ++i) take(little, {waited(20 * ms, 17 * ms)});
  EXPECT_NEAR(little.seconds(0, waited(20 * ms, 17 * ms)), 37 * ms, 1e-6);
  EXPECT_FALSE(waiting || little);
}

TEST(Waiting, OfOneCandidateInTurnsWithWorkIsKnownByTheirSum) {
  // Ranks wait in one call and all work as long in the next, so that waiting scatters and the mean does not.
  Waiting waiting(true);
  const AgreedCall together{38 * ms, 37 * ms, 37.5 * ms, 0};
  for (int i = 0; i < 8; ++i)
    waiting.take(std::vector<PlannedCalls>{{0, 5, false}},
                 std::vector<AgreedCall>{waited(20 * ms, 17 * ms), waited(20 * ms, 17 * ms), together,
                                         waited(20 * ms, 17 * ms), waited(20 * ms, 17 * ms)});
  take_first(waiting, 1, {42 * ms, 36 * ms, 40 * ms, 0});
  EXPECT_NEAR(waiting.seconds(0, waited(20 * ms, 17 * ms)), 35 * ms, 2 * ms);
  EXPECT_NEAR(waiting.seconds(0, together), 38 * ms, 1e-6) << "no rank took longer";
}

TEST(Waiting, IsForNobodyWhereRanksBeganTogether) {
  // The ranks that leave early wait in the next collective for the slowest one.
  Waiting waiting(true);
  AgreedCall together = waited(10 * ms, 5 * ms);
  together.together = true;
  for (int i = 0; i < 8; ++i) take(waiting, {together});
  EXPECT_DOUBLE_EQ(waiting.seconds(0, together), 20 * ms);
  EXPECT_DOUBLE_EQ(waiting.correction(0), 1);
  EXPECT_DOUBLE_EQ(waiting.ratio(0), 1);
  EXPECT_LT(waiting.seconds(0, waited(10 * ms, 5 * ms)), 20 * ms) << "others may have waited for late ranks";
}

TEST(Waiting, OfAFirstCallSaysLittleOfLateRanks) {
  Waiting waiting(true);
  for (int i = 0; i < 8; ++i) take(waiting, {waited(20 * ms, 17 * ms)});
  take_first(waiting, 1, {48 * ms, 36 * ms, 48 * ms, 0});
  EXPECT_GT(waiting.seconds(0, waited(20 * ms, 17 * ms)), 30 * ms);
}

TEST(Waiting, OfACallAfterAnAgreementIsSeenInItsSlowestRank) {
  // Who leaves native early makes the others wait in the next call: after an agreement they have not waited yet.
  Waiting waiting(true);
  for (int i = 0; i < 6; ++i) {
    take_first(waiting, 0, {62 * ms, 30 * ms, 42 * ms, 0});
    take_first(waiting, 1, {37 * ms, 29 * ms, 33 * ms, 0});
  }
  EXPECT_NEAR(waiting.seconds(0, {62 * ms, 30 * ms, 42 * ms, 0}), 46 * ms, 1 * ms);
  EXPECT_NEAR(waiting.seconds(1, {37 * ms, 29 * ms, 33 * ms, 0}), 29 * ms, 0.5 * ms);
}

TEST(Waiting, OfCallsInARowIsKnownBetterThanAfterAnAgreement) {
  Waiting waiting(true);
  for (int i = 0; i < 12; ++i) take(waiting, {waited(30 * ms, 24 * ms), waited(29 * ms, 6 * ms)});
  for (int i = 0; i < 6; ++i) take_first(waiting, 0, waited(30 * ms, 12 * ms));
  EXPECT_GT(waiting.seconds(0, waited(30 * ms, 12 * ms)), 40 * ms);
}

TEST(Waiting, OfACallAfterAnotherCandidatesIsNotItsOwn) {
  Waiting waiting(true);
  for (int i = 0; i < 12; ++i) take(waiting, {waited(30 * ms, 24 * ms), waited(29 * ms, 6 * ms)});
  const AgreedCall native = waited(30 * ms, 24 * ms);
  for (int i = 0; i < 6; ++i)
    waiting.take(std::vector<PlannedCalls>{{0, 2, false}, {2, 1, true}},
                 std::vector<AgreedCall>{native, native, waited(28 * ms, 24 * ms)});
  EXPECT_NEAR(waiting.seconds(2, waited(28 * ms, 24 * ms)), 28 * ms, 1e-6);
}

TEST(Waiting, ForALateRankIsNoCandidatesOwn) {
  Waiting waiting(true);
  for (int i = 0; i < 10; ++i) take(waiting, {waited(10 * ms, 50 * ms), waited(7 * ms, 50 * ms)});
  EXPECT_NEAR(waiting.seconds(0, waited(10 * ms, 50 * ms)), 10 * ms, 0.5 * ms);
  EXPECT_NEAR(waiting.seconds(1, waited(7 * ms, 50 * ms)), 7 * ms, 0.5 * ms);
  EXPECT_TRUE(waiting);
}

TEST(Waiting, ThatIsLongerThanWithAnotherIsACandidatesOwn) {
  // As on a busy machine: whoever came last leaves native early, and keeps the others waiting.
  Waiting waiting(true);
  for (int i = 0; i < 12; ++i) take(waiting, {waited(18 * ms, 17 * ms), waited(25 * ms, 5 * ms)});
  EXPECT_NEAR(waiting.seconds(0, waited(18 * ms, 17 * ms)), 30 * ms, 1 * ms);
  EXPECT_NEAR(waiting.seconds(1, waited(25 * ms, 5 * ms)), 25 * ms, 0.1 * ms);
  EXPECT_FALSE(waiting);
}

TEST(Waiting, WhoseScatterIsLargeTellsLittle) {
  Waiting waiting(true);
  Chance chance(3);
  const auto random = [&] { return -std::log(1 - chance.next()) * 100 * ms; };
  for (int i = 0; i < 30; ++i) {
    take(waiting, {waited(10 * ms, random()), waited(7 * ms, random())});
    if (i < 4) continue;
    EXPECT_LT(waiting.seconds(1, waited(7 * ms, 500 * ms)), 9 * ms) << i;
    EXPECT_LT(waiting.seconds(0, waited(10 * ms, 500 * ms)), 14 * ms) << i;
  }
}

TEST(Waiting, CorrectsWhatWasThoughtBefore) {
  Waiting waiting(true);
  for (int i = 0; i < 6; ++i) take(waiting, {waited(10 * ms, 10 * ms)});
  EXPECT_NEAR(waiting.correction(0), 2, 1e-6) << "alone, all of it counts as native's own";
  for (int i = 0; i < 6; ++i) take(waiting, {waited(10 * ms, 10 * ms), waited(5 * ms, 10 * ms)});
  EXPECT_NEAR(waiting.correction(0), 0.5, 0.05) << "late ranks make all wait";
  EXPECT_NEAR(waiting.correction(0), 1, 1e-6);
  EXPECT_EQ(waiting.correction(7), 1) << "without calls";
}

TEST(Waiting, RemembersLatenessWhereTheNetworkHasChanged) {
  Waiting waiting(true);
  for (int i = 0; i < 10; ++i) take(waiting, {waited(10 * ms, 50 * ms), waited(7 * ms, 50 * ms)});
  waiting.forget();
  take(waiting, {waited(20 * ms, 50 * ms)});
  EXPECT_NEAR(waiting.seconds(0, waited(20 * ms, 50 * ms)), 20 * ms, 1 * ms);
}

TEST(Waiting, CountsTheSlowestRankWhereRanksNeedNotWait) {
  Waiting waiting(false);
  take(waiting, {waited(10 * ms, 50 * ms), waited(7 * ms, 50 * ms)});
  EXPECT_NEAR(waiting.seconds(0, waited(10 * ms, 50 * ms)), 110 * ms, 1e-6);
  EXPECT_EQ(waiting.ratio(0), 1);
}

}  // namespace
}  // namespace starling::testing
