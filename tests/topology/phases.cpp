#include "topology/phases.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "topology/link_use.hpp"
#include "topology/random_tree.hpp"

namespace starling {
namespace {

/// The messages on the fullest link when every rank sends one to every other.
int fullest_link(const SwitchTree& tree) {
  LinkUse use(tree);
  for (int from = 0; from < tree.ranks(); ++from)
    for (int to = 0; to < tree.ranks(); ++to)
      if (from != to) use.message(from, to);
  return use.most();
}

void expect_contention_free(const SwitchTree& tree) {
  std::vector<std::vector<Phase>> all;
  for (int rank = 0; rank < tree.ranks(); ++rank) all.push_back(contention_free_phases(tree, rank));
  ASSERT_EQ(static_cast<int>(all[0].size()), fullest_link(tree));
  std::set<std::pair<int, int>> pairs;
  for (std::size_t phase = 0; phase < all[0].size(); ++phase) {
    LinkUse use(tree);
    for (int rank = 0; rank < tree.ranks(); ++rank) {
      const int to = all[static_cast<std::size_t>(rank)][phase].to;
      if (to < 0) continue;
      ASSERT_EQ(all[static_cast<std::size_t>(to)][phase].from, rank) << "phase " << phase;
      ASSERT_NE(to, rank);
      ASSERT_TRUE(pairs.insert({rank, to}).second) << rank << " sends to " << to << " twice";
      use.message(rank, to);
    }
    ASSERT_LE(use.most(), 1) << "phase " << phase;
  }
  EXPECT_EQ(static_cast<int>(pairs.size()), tree.ranks() * (tree.ranks() - 1));
}

TEST(ContentionFreePhases, MeetEveryPairOnceAndNoLinkTwiceOnRandomTrees) {
  for (unsigned seed = 1; seed <= 60; ++seed)
    for (int ranks = 2; ranks <= 24; ++ranks) {
      SCOPED_TRACE(std::to_string(ranks) + " ranks, seed " + std::to_string(seed));
      expect_contention_free(random_tree(ranks, seed));
      if (HasFatalFailure()) return;
    }
}

TEST(ContentionFreePhases, AreAsManyAsTheTrunkOfAChainNeeds) {
  std::vector<int> hangs;
  for (int rank = 0; rank < 32; ++rank) hangs.push_back(rank / 8);
  const SwitchTree chain({-1, 0, 1, 2}, hangs);
  EXPECT_EQ(contention_free_phases(chain, 0).size(), 16U * 16U);
  expect_contention_free(chain);
}

TEST(ContentionFreePhases, AreOneFewerThanRanksOnASingleSwitch) {
  EXPECT_EQ(contention_free_phases(SwitchTree({-1}, {0, 0, 0, 0, 0}), 2).size(), 4U);
}

TEST(ContentionFreePhases, AreNoneForOneRank) {
  EXPECT_TRUE(contention_free_phases(SwitchTree({-1}, {0}), 0).empty());
}

}  // namespace
}  // namespace starling
