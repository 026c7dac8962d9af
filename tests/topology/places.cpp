#include "topology/places.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace starling {
namespace {

TEST(Places, NumbersNodesByTheirLowestRanks) {
  const Places places(std::vector<int>{8, 3, 8, 5, 3, 8});
  EXPECT_EQ(places.ranks(), 6);
  EXPECT_EQ(places.nodes(), 3);
  const std::vector<int> node{0, 1, 0, 2, 1, 0};
  const std::vector<int> position{0, 0, 1, 0, 1, 2};
  for (int rank = 0; rank < 6; ++rank) {
    EXPECT_EQ(places.node_of(rank), node[static_cast<std::size_t>(rank)]) << rank;
    EXPECT_EQ(places.position(rank), position[static_cast<std::size_t>(rank)]) << rank;
  }
}

TEST(Places, KnowsTheRanksOfANodeAndItsLeader) {
  const Places places(std::vector<int>{8, 3, 8, 5, 3, 8});
  EXPECT_EQ(places.on_node(0), RankSet::of(std::vector<int>{0, 2, 5}));
  EXPECT_EQ(places.on_node(1), RankSet::of(std::vector<int>{1, 4}));
  EXPECT_EQ(places.leader(2), 3);
  EXPECT_EQ(places.leaders(), RankSet::of(std::vector<int>{0, 1, 3}));
  for (int rank = 0; rank < places.ranks(); ++rank)
    EXPECT_EQ(places.on_node(places.node_of(rank)).index_of(rank), places.position(rank));
}

TEST(Places, SpreadTellsHowManyNodesThereAreAndTheMostRanksOnOne) {
  const Spread spread = Places(std::vector<int>{0, 0, 2, 0}).spread();
  EXPECT_EQ(spread.nodes, 2);
  EXPECT_EQ(spread.ranks_per_node, 3);
  EXPECT_EQ(Places(std::vector<int>{}).spread().nodes, 0) << "none is known";
}

}  // namespace
}  // namespace starling
