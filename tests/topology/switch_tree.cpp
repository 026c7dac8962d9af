#include "topology/switch_tree.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <stdexcept>

#include "topology/link_use.hpp"
#include "topology/random_tree.hpp"

namespace starling {
namespace {

TEST(SwitchTree, RefusesWhatIsNoTree) {
  EXPECT_THROW(SwitchTree({1, 0}, {0}), std::invalid_argument);
  EXPECT_THROW(SwitchTree({-1, -1}, {0}), std::invalid_argument);
  EXPECT_THROW(SwitchTree({-1, 5}, {0}), std::invalid_argument);
  EXPECT_THROW(SwitchTree({-1, 2, 1}, {0}), std::invalid_argument);
  EXPECT_THROW(SwitchTree({}, {}), std::invalid_argument);
  EXPECT_THROW(SwitchTree({-1}, {0, 1}), std::invalid_argument);
}

TEST(SwitchTree, KnowsTheRanksBehindALink) {
  const SwitchTree tree({-1, 0, 1}, {2, 0, 1, 2});
  EXPECT_EQ(tree.ranks_behind(0, 1), (std::vector{2, 0, 3}));
  EXPECT_EQ(tree.ranks_behind(2, 1), (std::vector{2, 1}));
}

TEST(Walk, VisitsAllRanksAndARingInItsOrderUsesEveryLinkOnce) {
  for (unsigned seed = 1; seed <= 60; ++seed)
    for (int ranks = 2; ranks <= 40; ++ranks) {
      const SwitchTree tree = random_tree(ranks, seed);
      const Walk walk = walk_from(tree, static_cast<int>(seed) % ranks);
      std::vector<int> sorted = walk.order;
      std::sort(sorted.begin(), sorted.end());
      for (int rank = 0; rank < ranks; ++rank) ASSERT_EQ(sorted[static_cast<std::size_t>(rank)], rank);
      ASSERT_EQ(walk.order.front(), static_cast<int>(seed) % ranks);
      LinkUse use(tree);
      for (std::size_t i = 0; i < walk.order.size(); ++i)
        use.message(walk.order[i], walk.order[(i + 1) % walk.order.size()]);
      ASSERT_EQ(use.most(), 1) << ranks << " ranks, seed " << seed;
    }
}

TEST(Walk, TurnsWhereABranchBeginsAndBehindTheSwitch) {
  // Switch 0 has rank 0 and switches 1 (ranks 1, 2) and 2 (rank 3).
  const Walk walk = walk_from(SwitchTree({-1, 0, 0}, {0, 1, 1, 2}), 0);
  EXPECT_EQ(walk.order, (std::vector{0, 1, 2, 3}));
  EXPECT_EQ(walk.turns[0], (std::vector{1, 3}));
  EXPECT_EQ(walk.turns[1], (std::vector{2, 3}));
  EXPECT_EQ(walk.turns[2], (std::vector{3}));
  EXPECT_TRUE(walk.turns[3].empty());
}

}  // namespace
}  // namespace starling
