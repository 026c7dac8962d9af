#include "measurement/of_few.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <memory>
#include <vector>

namespace starling {
namespace {

TEST(OfFew, KeepsSomethingOfThoseThatWereAdded) {
  OfFew<std::unique_ptr<std::size_t>> few;
  const std::vector<std::size_t> added{300, 0, 7, 8, 1000, 6, 2};
  EXPECT_FALSE(few.has(0));
  for (const std::size_t one : added) few.add(one, std::make_unique<std::size_t>(one));
  for (const std::size_t one : added) {
    ASSERT_NE(few.find(one), nullptr) << one;
    EXPECT_EQ(**few.find(one), one);
  }
  for (const std::size_t none : {std::size_t{1}, std::size_t{299}, std::size_t{301}, std::size_t{1001}})
    EXPECT_EQ(few.find(none), nullptr) << none;
  std::vector<std::size_t> in_order;
  for (const auto& one : few) in_order.push_back(*one);
  EXPECT_EQ(in_order, added);
  few.clear();
  EXPECT_FALSE(few.has(7));
}

TEST(OfFew, KeepsThoseThatWereAddedInTheirOrderAndThenOthers) {
  OfFew<int> few;
  for (const std::size_t one : {0, 1, 2}) few.add(one, 10 + static_cast<int>(one));
  EXPECT_FALSE(few.has(3));
  EXPECT_EQ(few.find(3), nullptr);
  EXPECT_EQ(*few.find(2), 12);
  few.add(7, 17);
  few.add(3, 13);
  for (const std::size_t one : {0, 1, 2, 3, 7}) EXPECT_EQ(*few.find(one), 10 + static_cast<int>(one)) << one;
  for (const std::size_t none : {4, 5, 6, 8}) EXPECT_FALSE(few.has(none)) << none;
}

}  // namespace
}  // namespace starling
