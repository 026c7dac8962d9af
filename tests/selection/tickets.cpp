#include "selection/tickets.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

namespace starling::testing {
namespace {

RunningTime of(double mean, double deviation = 0, std::uint32_t samples = 20) {
  return {mean, deviation * deviation, samples, samples};
}

const RunningTime unknown{};

std::vector<double> dealt(std::string_view policy, const std::vector<RunningTime>& times) {
  return ticket_policy(policy)->deal(times, 0.8);
}

TEST(RunningTime, IsTheFirstSampleThenMovesByItsWeight) {
  RunningTime time;
  time.add(10, 0.8);
  EXPECT_TRUE(time.known());
  EXPECT_DOUBLE_EQ(time.mean, 10);
  EXPECT_DOUBLE_EQ(time.variance, 0);
  time.add(20, 0.8);
  EXPECT_DOUBLE_EQ(time.mean, 15) << "two samples weigh alike";
  EXPECT_DOUBLE_EQ(time.variance, 25);
  time.samples = time.spread = 100;
  time.add(25, 0.8);
  EXPECT_DOUBLE_EQ(time.mean, 17);
  EXPECT_DOUBLE_EQ(time.variance, 0.8 * (25 + 0.2 * 100));
}

TEST(RunningTime, HasTheDeviationOfItsCalls) {
  RunningTime time;
  for (int i = 0; i < 500; ++i) time.add(i % 2 == 0 ? 9 : 11, 0.99);
  EXPECT_NEAR(time.mean, 10, 0.1);
  EXPECT_NEAR(std::sqrt(time.variance), 1, 0.05);
}

TEST(RunningTime, OfEarlierRunsGoesOnWhereTheyEnded) {
  RunningTime time = of(10, 1);
  time.add(15, 0.8);
  EXPECT_DOUBLE_EQ(time.mean, 11);
  EXPECT_DOUBLE_EQ(time.variance, 0.8 * (1 + 0.2 * 25));
  RunningTime without_deviation{10, 0, 20, 0};
  without_deviation.add(15, 0.8);
  EXPECT_DOUBLE_EQ(without_deviation.mean, 11);
  EXPECT_EQ(without_deviation.spread, 1);
}

TEST(RunningTime, CanBeScaledToLongerCalls) {
  RunningTime time = of(10, 1);
  time.scale(3);
  EXPECT_DOUBLE_EQ(time.mean, 30);
  EXPECT_DOUBLE_EQ(std::sqrt(time.variance), 3);
}

TEST(EveryTicketPolicy, GivesAlphaToTheFastestAndAllTicketsAway) {
  for (const TicketPolicy& policy : ticket_policies()) {
    SCOPED_TRACE(policy.name);
    const auto shares = policy.deal(std::vector{of(3, 1), of(2, 1), of(4, 1)}, 0.8);
    EXPECT_DOUBLE_EQ(shares[1], 0.8);
    EXPECT_DOUBLE_EQ(std::accumulate(shares.begin(), shares.end(), 0.0), 1);
    EXPECT_EQ(policy.deal(std::vector{unknown, unknown}, 0.8), (std::vector{0.5, 0.5})) << "nothing is known";
    EXPECT_GT(policy.deal(std::vector{of(3), unknown}, 0.8)[1], 0.19) << "what is not known is tried";
  }
}

TEST(UniformTickets, AreEqualForTheOthers) {
  const auto shares = dealt("uniform", {of(1), of(5), of(500)});
  EXPECT_DOUBLE_EQ(shares[1], 0.1);
  EXPECT_DOUBLE_EQ(shares[2], 0.1);
}

TEST(InverseTickets, FavourTheFasterOfThoseWithinTwoDeviations) {
  const auto shares = dealt("inverse", {of(10, 3), of(12), of(16), of(17)});
  EXPECT_NEAR(shares[1] / shares[2], 16.0 / 12, 1e-12);
  EXPECT_NEAR(shares[1] + shares[2], 0.2, 1e-12);
  EXPECT_EQ(shares[3], 0) << "more than two deviations of the fastest away from it";
}

TEST(InverseTickets, AllGoToTheFastestWhereNoneIsNear) {
  EXPECT_EQ(dealt("inverse", {of(10, 1), of(20), of(30)}), (std::vector<double>{1, 0, 0}));
}

TEST(InverseTickets, ExcludeNoneBeforeTheSpreadIsKnown) {
  EXPECT_GT(dealt("inverse", {of(10, 0, 4), of(20)})[1], 0);
  EXPECT_EQ(dealt("inverse", {of(10, 0, 5), of(20)})[1], 0);
}

TEST(TicketPolicies, AreFoundByName) {
  EXPECT_EQ(ticket_policy(""), &ticket_policies().front());
  EXPECT_EQ(ticket_policy("inverse")->name, "inverse");
  EXPECT_EQ(ticket_policy("fair"), nullptr);
}

}  // namespace
}  // namespace starling::testing
