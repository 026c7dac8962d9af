#include "topology/places.hpp"

#include <gtest/gtest.h>

#include <set>
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

TEST(Places, SpreadTellsLayoutsApartThatHaveTheSameNumbers) {
  const auto layout = [](const std::vector<int>& nodes, const std::vector<int>& domains) {
    return Places(nodes, domains).spread().layout;
  };
  for (const std::vector<int>& plain : {std::vector<int>{}, {4}, {1, 1}, {5, 3}, {0, 0, 1, 1}, {0, 0, 1, 1, 2}})
    EXPECT_EQ(layout(plain, {}), 0);
  EXPECT_EQ(layout({7, 7, 7}, {2, 2, 2}), 0) << "one domain";
  const std::set<int> different{layout({0, 0, 0, 0}, {}),           layout({0, 0, 0, 0}, {0, 0, 1, 1}),
                                layout({0, 0, 0, 0}, {0, 1, 0, 1}), layout({0, 0, 0, 0}, {0, 1, 1, 1}),
                                layout({0, 1, 0, 1}, {}),           layout({0, 1, 1, 0}, {}),
                                layout({0, 1, 1, 1}, {}),           layout({0, 0, 1, 1}, {0, 1, 0, 0})};
  EXPECT_EQ(different.size(), 8);
  EXPECT_EQ(*different.begin(), 0) << "a number that records can hold";
  EXPECT_EQ(layout({9, 2, 9, 2}, {}), layout({0, 1, 0, 1}, {})) << "in another job";
  EXPECT_EQ(layout({0, 1, 0, 1}, {}), 560206503) << "as earlier records have it";
}

TEST(Places, KnowsTheDomainsOfEachNode) {
  // Domains of different nodes may have the same number.
  const Places places(std::vector<int>{0, 0, 0, 0, 1, 1, 1}, std::vector<int>{1, 0, 1, 0, 1, 1, 1});
  ASSERT_TRUE(places.has_domains());
  EXPECT_EQ(places.nodes(), 2);
  const Places& domains = places.by_domain();
  EXPECT_EQ(domains.nodes(), 3);
  EXPECT_EQ(domains.on_node(0), RankSet::of(std::vector<int>{0, 2}));
  EXPECT_EQ(domains.on_node(1), RankSet::of(std::vector<int>{1, 3}));
  EXPECT_EQ(domains.on_node(2), RankSet::of(std::vector<int>{4, 5, 6}));
  EXPECT_FALSE(domains.has_domains());

  const Places* const first = places.inside(0);
  EXPECT_EQ(first->ranks(), 4);
  EXPECT_EQ(first->nodes(), 1);
  EXPECT_EQ(first->by_domain().on_node(1), RankSet::of(std::vector<int>{1, 3}));
  EXPECT_EQ(first->inside(0), first) << "one node is all there is";
  const Places* const second = places.inside(1);
  EXPECT_EQ(second->ranks(), 3);
  EXPECT_FALSE(second->has_domains());
  EXPECT_EQ(&second->by_domain(), second);
}

TEST(Places, HasNoDomainsWhereEachNodeIsOne) {
  for (const auto& places :
       {Places(std::vector<int>{0, 0, 1}), Places(std::vector<int>{0, 0, 1}, std::vector<int>{1, 1, 0})}) {
    EXPECT_FALSE(places.has_domains());
    EXPECT_EQ(&places.by_domain(), &places);
    EXPECT_EQ(places.inside(0), nullptr);
  }
}

TEST(Domains, OfANodeWithARankThatDoesNotKnowItsOwnAreOne) {
  const std::vector<int> nodes{0, 0, 2, 2, 0};
  EXPECT_EQ(domains_as_told(nodes, std::vector<int>{1, 0, 1, 0, -1}), (std::vector<int>{0, 0, 1, 0, 0}));
  EXPECT_EQ(domains_as_told(nodes, std::vector<int>{1, 0, 1, 0, 1}), (std::vector<int>{1, 0, 1, 0, 1}));
}

TEST(Domains, InBlocksHaveAsManyConsecutiveRanksEachAsCanBe) {
  EXPECT_EQ(domains_in_blocks(std::vector<int>{0, 0, 0, 0, 0}, std::vector<int>(5, 2)),
            (std::vector<int>{0, 0, 0, 1, 1}));
  EXPECT_EQ(domains_in_blocks(std::vector<int>{0, 1, 0, 1}, std::vector<int>{2, 1, 2, 1}),
            (std::vector<int>{0, 0, 1, 0}));
  EXPECT_EQ(domains_in_blocks(std::vector<int>{0, 0}, std::vector<int>(2, 4)), (std::vector<int>{0, 2}));
  EXPECT_EQ(domains_in_blocks(std::vector<int>{0, 0}, std::vector<int>(2, 0)), (std::vector<int>{0, 0}));
}

}  // namespace
}  // namespace starling
