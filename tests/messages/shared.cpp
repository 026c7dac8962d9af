#include "messages/shared.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <vector>

namespace starling {
namespace {

using Numbers = std::vector<int>;

TEST(Shared, EqualValuesAreOneObjectAsLongAsSomebodyKeepsIt) {
  auto one = shared(Numbers{1, 2});
  const auto other = shared(Numbers{1, 3});
  EXPECT_EQ(shared(Numbers{1, 2}), one);
  EXPECT_EQ(shared(Numbers{1, 3}), other);
  EXPECT_NE(one, other);
  EXPECT_EQ(*one, (Numbers{1, 2}));
  const std::weak_ptr<const Numbers> gone = one;
  one.reset();
  EXPECT_TRUE(gone.expired());
  EXPECT_EQ(*shared(Numbers{1, 2}), (Numbers{1, 2}));
}

}  // namespace
}  // namespace starling
