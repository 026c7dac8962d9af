#include "topology/processors.hpp"

#include <gtest/gtest.h>
#include <sched.h>

#include <bit>
#include <initializer_list>
#include <thread>
#include <vector>

namespace starling {
namespace {

Processors some(std::initializer_list<unsigned> numbers) {
  Processors all{};
  for (const unsigned number : numbers) all[number / 64] |= std::uint64_t{1} << (number % 64);
  return all;
}

TEST(Processors, AreThoseThatAThreadMayRunOn) {
  cpu_set_t before;
  ASSERT_EQ(sched_getaffinity(0, sizeof before, &before), 0);
  unsigned first = 0;
  while (!CPU_ISSET(first, &before)) ++first;
  std::thread([&] {
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(first, &one);
    ASSERT_EQ(sched_setaffinity(0, sizeof one, &one), 0);
    EXPECT_EQ(allowed_processors(), some({first}));
  }).join();
  int here = 0;
  for (const std::uint64_t bits : allowed_processors()) here += std::popcount(bits);
  EXPECT_EQ(here, CPU_COUNT(&before));
}

/// Of ranks of one node that may use those.
std::vector<int> sharing(const std::vector<Processors>& allowed) {
  std::vector<ProcessorShare> shares;
  for (const Processors& one : allowed) shares.push_back({one, 0, 0});
  return sharing_processors(std::vector<int>(allowed.size()), shares);
}

TEST(Processors, AreSharedByMoreRanksOfANodeThanTheseAre) {
  const ProcessorShare two{some({6, 7}), 0, 0};
  EXPECT_EQ(sharing_processors(std::vector<int>{0, 0, 2, 2, 2}, std::vector<ProcessorShare>(5, two)),
            (std::vector<int>{0, 0, 1, 1, 1}));
  EXPECT_EQ(sharing({some({1}), some({2}), some({70})}), (std::vector<int>{0, 0, 0})) << "bound to one each";
  EXPECT_EQ(sharing({some({1}), some({2}), some({1})}), (std::vector<int>{1, 0, 1}));
  EXPECT_EQ(sharing({{}, {}}), (std::vector<int>{0, 0})) << "nothing is known of them";
}

TEST(Processors, AreSharedWhereSomeRanksMayUseAPartOfWhatOthersMay) {
  const Processors both = some({0, 64});
  EXPECT_EQ(sharing({some({0}), both, some({64}), both}), (std::vector<int>{1, 1, 1, 1}));
  EXPECT_EQ(sharing({some({0}), both}), (std::vector<int>{0, 0}));
  EXPECT_EQ(sharing({some({0}), some({0}), some({0, 1, 2, 3})}), (std::vector<int>{1, 1, 0}))
      << "the last one has others to use";
  EXPECT_EQ(sharing({some({0, 1}), some({1, 2}), some({2, 0})}), (std::vector<int>{0, 0, 0}));
  EXPECT_EQ(sharing({some({0, 1}), some({1, 2}), some({2, 0}), some({1, 2}), some({5})}),
            (std::vector<int>{1, 1, 1, 1, 0}));
}

TEST(Processors, AreSharedByMoreRanksThanTheirQuotaIs) {
  const auto bound = [](unsigned to) { return ProcessorShare{some({to}), 5, 2}; };
  EXPECT_EQ(sharing_processors(std::vector<int>{0, 0, 2, 2, 2},
                               std::vector<ProcessorShare>{bound(1), bound(2), bound(1), bound(2), bound(3)}),
            (std::vector<int>{0, 0, 1, 1, 1}));
  EXPECT_EQ(sharing_processors(std::vector<int>{0}, std::vector<ProcessorShare>{{some({0, 1}), 5, 0}}),
            std::vector<int>{1})
      << "a part of a processor";
}

}  // namespace
}  // namespace starling
