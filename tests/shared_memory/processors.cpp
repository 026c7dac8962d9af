#include "shared_memory/processors.hpp"

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

TEST(Processors, SufficeWhereThereAreAsManyAsThoseWhoMayRunNowhereElse) {
  const Claim both{some({0, 1})};
  EXPECT_TRUE(has_own_processor(both, std::vector{both, both}));
  EXPECT_FALSE(has_own_processor(both, std::vector{both, both, both}));
}

TEST(Processors, AreCountedForEachAlone) {
  const std::vector<Claim> bound{{some({0})}, {some({100})}, {some({100})}, {some({0, 100, 3000, 3001})}};
  EXPECT_TRUE(has_own_processor(bound[0], bound));
  EXPECT_FALSE(has_own_processor(bound[1], bound)) << "two share it";
  EXPECT_TRUE(has_own_processor(bound[3], bound)) << "there are as many as all together have";
}

TEST(Processors, SufficeOnlyIfTheQuotaOfTheControlGroupDoes) {
  const Processors many = some({0, 1, 2, 3, 4, 5, 6, 7});
  const Claim one{many, {.group = 5, .processors = 2}};
  EXPECT_TRUE(has_own_processor(one, std::vector{one, one}));
  EXPECT_FALSE(has_own_processor(one, std::vector{one, one, one}));
  const Claim other{many, {.group = 6, .processors = 1}};
  EXPECT_TRUE(has_own_processor(one, std::vector{one, one, other})) << "a group of its own";
  EXPECT_TRUE(has_own_processor(other, std::vector{one, one, other}));
  const Claim none{many};
  EXPECT_TRUE(has_own_processor(none, std::vector{none, none, none}));
  const Claim half{many, {.group = 7, .processors = 0.5}};
  EXPECT_FALSE(has_own_processor(half, std::vector{half}));
}

}  // namespace
}  // namespace starling
