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

}  // namespace
}  // namespace starling
