#include "topology/processors.hpp"

#include <gtest/gtest.h>
#include <sched.h>

#include <bit>
#include <initializer_list>
#include <thread>

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

}  // namespace
}  // namespace starling
