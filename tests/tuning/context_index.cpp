#include "tuning/context_index.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <deque>
#include <map>
#include <random>
#include <tuple>

namespace starling::testing {
namespace {

struct Keyed {
  CallKey its;
  [[nodiscard]] const CallKey& key() const { return its; }
};

auto as_tuple(const CallKey& key) {
  return std::tuple(key.bytes, key.commutative, key.built_in, key.in_place, key.bucket, key.up_to);
}

TEST(ContextIndex, FindsNothingInAnEmptyOne) {
  EXPECT_EQ(ContextIndex<Keyed>().find({8, true, true, false}), nullptr);
}

TEST(ContextIndex, FindsRandomKeysAsAMapDoesWhileItGrows) {
  std::mt19937_64 random(1);
  const auto flag = [&] { return random() % 2 == 0; };
  std::deque<Keyed> all;  // which does not move them
  std::map<decltype(as_tuple({})), Keyed*> expected;
  ContextIndex<Keyed> index;
  for (int i = 0; i < 20000; ++i) {
    const bool bucket = random() % 8 == 0;
    const auto bytes = static_cast<std::int64_t>(random() % 400) - 1;
    const CallKey key{bytes, flag(), flag(), flag(), bucket, bucket ? 2 * bytes : 0};
    const auto known = expected.find(as_tuple(key));
    ASSERT_EQ(index.find(key), known == expected.end() ? nullptr : known->second) << "after " << i;
    if (known != expected.end()) continue;
    index.add(all.emplace_back(Keyed{key}));
    expected.emplace(as_tuple(key), &all.back());
  }
  EXPECT_GT(all.size(), 4000U);
  for (Keyed& one : all) EXPECT_EQ(index.find(one.key()), &one);
}

TEST(ContextIndex, TellsKeysApartThatBelongInOneSlot) {
  std::deque<Keyed> all;
  ContextIndex<Keyed> index;
  const auto of = [](std::int64_t up_to) { return CallKey{1024, true, true, false, true, up_to}; };
  for (std::int64_t up_to = 1025; up_to < 1325; ++up_to) index.add(all.emplace_back(Keyed{of(up_to)}));
  for (Keyed& one : all) EXPECT_EQ(index.find(one.key()), &one);
  EXPECT_EQ(index.find(of(1024)), nullptr);
  EXPECT_EQ(index.find(of(1325)), nullptr);
}

TEST(ContextIndex, TellsKeysApartThatDifferInOneFact) {
  const CallKey first{8, false, false, false};
  std::deque<Keyed> all{{first}};
  for (int fact = 0; fact < 5; ++fact) {
    CallKey other = first;
    if (fact == 0) other.bytes = -1;
    if (fact == 1) other.commutative = true;
    if (fact == 2) other.built_in = true;
    if (fact == 3) other.in_place = true;
    if (fact == 4) other.bucket = true;
    all.push_back({other});
  }
  ContextIndex<Keyed> index;
  for (Keyed& one : all) {
    EXPECT_EQ(index.find(one.key()), nullptr);
    index.add(one);
  }
  for (Keyed& one : all) EXPECT_EQ(index.find(one.key()), &one);
}

}  // namespace
}  // namespace starling::testing
