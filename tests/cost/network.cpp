#include "cost/network.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "cost/networks.hpp"

namespace starling {
namespace {

/// The directed links from one rank to another, sorted.
std::vector<int> path(const Network& network, int from, int to) {
  std::vector<int> room(static_cast<std::size_t>(network.longest_path()));
  const auto found = network.path(from, to, room);
  std::vector<int> links(found.begin(), found.end());
  std::sort(links.begin(), links.end());
  return links;
}

TEST(Network, ClimbsToTheCommonSwitchAndDownAgain) {
  const Network network = star_network(3, 2);  // nodes: s0 to s2, then h0 to h5
  EXPECT_EQ(path(network, 0, 1), (std::vector<int>{2 * 3, (2 * 4) + 1}));
  EXPECT_EQ(path(network, 2, 4), (std::vector<int>{2 * 1, (2 * 2) + 1, 2 * 5, (2 * 7) + 1}));
  EXPECT_EQ(path(network, 0, 5), (std::vector<int>{(2 * 2) + 1, 2 * 3, (2 * 8) + 1}));
  EXPECT_LE(path(network, 2, 4).size(), static_cast<std::size_t>(network.longest_path()));
}

TEST(Network, TheTwoDirectionsOfACableAreTwoLinks) {
  const Network network = star_network(1, 2);
  EXPECT_EQ(path(network, 0, 1), (std::vector<int>{2, 5}));
  EXPECT_EQ(path(network, 1, 0), (std::vector<int>{3, 4}));
}

TEST(Network, AddsTheLatenciesOfLinks) {
  const Network network = star_network(3, 2, 8 * mega, 0.25);
  EXPECT_EQ(network.latency(0, 1), 0.5);
  EXPECT_EQ(network.latency(2, 4), 1.0);
  EXPECT_EQ(network.latency(3, 3), 0);
}

TEST(Network, RanksOfOneHostNeedNoLink) {
  const Network network(star(1, 2), {0, 0, 1});
  EXPECT_TRUE(network.on_one_host(0, 1));
  EXPECT_TRUE(path(network, 0, 1).empty());
  EXPECT_FALSE(network.on_one_host(1, 2));
  EXPECT_EQ(path(network, 0, 2), path(network, 1, 2));
}

TEST(Network, CountsTheRanksBelowEachCable) {
  const Network network(star(2, 2), {0, 0, 1, 3});
  EXPECT_EQ(network.ranks_below(0), 4);
  EXPECT_EQ(network.ranks_below(1), 1);
  EXPECT_EQ(network.ranks_below(network.node_of(0)), 2);
  EXPECT_EQ(network.ranks_below(network.node_of(3)), 1);
}

}  // namespace
}  // namespace starling
