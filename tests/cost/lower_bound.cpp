#include "cost/lower_bound.hpp"

#include <gtest/gtest.h>

#include "cost/networks.hpp"

namespace starling {
namespace {

// No latency and a microsecond per byte: the bound is the number of bytes on the fullest link.
constexpr CostParameters bytes_only{.overhead = 0, .latency = 0, .rate_share = 1};

double bytes_over(Collective collective, const Network& network, int root = 0) {
  return lower_bound(collective, 1'000'000, root, network, bytes_only);
}

TEST(LowerBound, OnOneSwitchCountsTheLinkOfAHost) {
  const Network network = star_network(1, 16);
  EXPECT_DOUBLE_EQ(bytes_over(Collective::alltoall, network), 15);
  EXPECT_DOUBLE_EQ(bytes_over(Collective::allgather, network), 15);
  EXPECT_DOUBLE_EQ(bytes_over(Collective::gather, network, 3), 15);
  EXPECT_DOUBLE_EQ(bytes_over(Collective::scatter, network, 3), 15);
  EXPECT_DOUBLE_EQ(bytes_over(Collective::reduce_scatter, network), 15);
  EXPECT_DOUBLE_EQ(bytes_over(Collective::bcast, network), 1);
  EXPECT_DOUBLE_EQ(bytes_over(Collective::reduce, network), 1);
  EXPECT_DOUBLE_EQ(bytes_over(Collective::scan, network), 1);
  EXPECT_DOUBLE_EQ(bytes_over(Collective::allreduce, network), 2 * 15.0 / 16);
}

TEST(LowerBound, OnSeveralSwitchesCountsTheTrunk) {
  const Network network = star_network(4, 8);
  EXPECT_DOUBLE_EQ(bytes_over(Collective::alltoall, network), 8 * 24);
  EXPECT_DOUBLE_EQ(bytes_over(Collective::allgather, network), 31);
  EXPECT_DOUBLE_EQ(bytes_over(Collective::alltoall, star_network(4, 8, 80 * mega)), 31);
}

TEST(LowerBound, RanksOfOneHostShareItsLink) {
  const Network network(star(1, 2), {0, 0, 0, 1});
  EXPECT_DOUBLE_EQ(bytes_over(Collective::alltoall, network), 3);
  EXPECT_DOUBLE_EQ(bytes_over(Collective::bcast, network), 1);
  EXPECT_DOUBLE_EQ(bytes_over(Collective::alltoall, Network(star(1, 2), {0, 0})), 0.000001);  // through memory
}

TEST(LowerBound, NothingToSendTakesNoTime) {
  EXPECT_EQ(lower_bound(Collective::alltoall, 100, 0, star_network(1, 1), CostParameters{}), 0);
  EXPECT_EQ(lower_bound(Collective::alltoall, 0, 0, star_network(1, 4), CostParameters{}), 0);
  EXPECT_GT(lower_bound(Collective::barrier, 0, 0, star_network(1, 4), CostParameters{}), 0);
}

}  // namespace
}  // namespace starling
