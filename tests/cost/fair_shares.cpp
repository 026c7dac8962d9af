#include "cost/fair_shares.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <random>
#include <vector>

namespace starling {
namespace {

/// The end times of all started flows, by name.
std::map<int, double> run(FairShares& shares) {
  std::map<int, double> ends;
  for (double now = shares.next_end(); !std::isinf(now); now = shares.next_end())
    for (const int name : shares.ended(now)) ends[name] = now;
  return ends;
}

TEST(FairShares, AFlowAloneHasItsSlowestLink) {
  FairShares shares(std::array<std::int64_t, 2>{800, 80}, 2);
  shares.start(7, std::array{0, 1}, 100, 2.0);
  EXPECT_EQ(run(shares), (std::map<int, double>{{7, 12.0}}));
}

TEST(FairShares, TwoFlowsHalveALink) {
  FairShares shares(std::array<std::int64_t, 1>{800}, 1);
  shares.start(0, std::array{0}, 100, 0);
  shares.start(1, std::array{0}, 100, 0);
  EXPECT_EQ(run(shares), (std::map<int, double>{{0, 2.0}, {1, 2.0}}));
}

TEST(FairShares, ALongFlowGetsTheShareOfAShortOneThatEnded) {
  FairShares shares(std::array<std::int64_t, 1>{800}, 1);
  shares.start(0, std::array{0}, 100, 0);
  shares.start(1, std::array{0}, 300, 0);
  EXPECT_EQ(run(shares), (std::map<int, double>{{0, 2.0}, {1, 4.0}}));
}

TEST(FairShares, ALateFlowSlowsTheOneThatIsThere) {
  FairShares shares(std::array<std::int64_t, 1>{800}, 1);
  shares.start(0, std::array{0}, 200, 0);
  EXPECT_EQ(shares.next_end(), 2.0);
  shares.start(1, std::array{0}, 50, 1);
  EXPECT_EQ(run(shares), (std::map<int, double>{{0, 2.5}, {1, 2.0}}));
}

TEST(FairShares, AFlowLimitedElsewhereLeavesItsShareToOthers) {
  // Bertsekas and Gallager's example in small: 0 uses both links, 1 the narrow one, 2 the wide one.
  FairShares shares(std::array<std::int64_t, 2>{160, 800}, 2);
  shares.start(0, std::array{0, 1}, 100, 0);  // 80 bit/s
  shares.start(1, std::array{0}, 100, 0);     // 80 bit/s
  shares.start(2, std::array{1}, 900, 0);     // 720 bit/s
  EXPECT_EQ(run(shares), (std::map<int, double>{{0, 10.0}, {1, 10.0}, {2, 10.0}}));
}

TEST(FairShares, ALinkThatCannotBeFullLimitsNoFlow) {
  FairShares shares(std::array<std::int64_t, 3>{80, 80, 160}, 2);
  shares.start(0, std::array{0, 2}, 10, 0);
  shares.start(1, std::array{1, 2}, 20, 0);
  EXPECT_EQ(run(shares), (std::map<int, double>{{0, 1.0}, {1, 2.0}}));
}

TEST(FairShares, NoLinkCarriesMoreThanItCanNorLessThanItCould) {
  constexpr int links = 6;
  const std::array<std::int64_t, links> rates{100, 200, 300, 150, 250, 50};
  for (unsigned seed = 1; seed <= 20; ++seed) {
    std::mt19937 dice(seed);
    FairShares shares(rates, 3);
    std::map<int, std::int64_t> bytes;
    std::array<double, links> bits{};
    for (int flow = 0; flow < 30; ++flow) {
      std::vector<int> path{static_cast<int>(dice() % links)};
      if (const int other = static_cast<int>(dice() % links); other != path.front()) path.push_back(other);
      bytes[flow] = 1 + static_cast<std::int64_t>(dice() % 1000);
      for (const int link : path) bits[static_cast<std::size_t>(link)] += 8.0 * static_cast<double>(bytes[flow]);
      shares.start(flow, path, bytes[flow], 0);
    }
    const std::map<int, double> ends = run(shares);
    ASSERT_EQ(ends.size(), bytes.size());
    double last = 0;
    for (const auto& [flow, end] : ends) last = std::max(last, end);
    double least = 0;
    double most = 0;
    for (std::size_t link = 0; link < links; ++link) {
      least = std::max(least, bits[link] / static_cast<double>(rates[link]));
      most += bits[link] / static_cast<double>(rates[link]);
    }
    EXPECT_GE(last, least * 0.998);
    EXPECT_LE(last, most);
  }
}

}  // namespace
}  // namespace starling
