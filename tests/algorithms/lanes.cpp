#include "algorithms/shared/lanes.hpp"

#include <gtest/gtest.h>

#include <array>
#include <string>
#include <vector>

#include "algorithms/candidate.hpp"

namespace starling {
namespace {

std::vector<int> ranks_in(std::span<const int> found) {
  return {found.begin(), found.end()};
}

TEST(Lanes, AreAsManyAsTheSmallestNodeHasRanks) {
  const Places places(std::array{0, 0, 0, 0, 0, 1, 1, 2, 2, 2});
  const Lanes lanes(places);
  EXPECT_EQ(lanes.count(), 2);
  EXPECT_EQ(lanes_of(places), 2);
  EXPECT_EQ(lanes.order(), (std::vector{0, 2, 4, 5, 7, 9, 1, 3, 6, 8}));
  EXPECT_EQ(ranks_in(lanes.of(1)), (std::vector{1, 3, 6, 8}));
  EXPECT_EQ(ranks_in(lanes.of(0, 2)), (std::vector{7, 9}));
  EXPECT_EQ(ranks_in(lanes.of(1, 0)), (std::vector{1, 3}));
  EXPECT_EQ(lanes.most(), 6);
  EXPECT_EQ(lanes.most_on_a_node(), 3);
}

TEST(Lanes, GiveNothingToRanksThatStandForNone) {
  const Lanes lanes(Places(std::array{0, 0, 0, 1, 1}));
  const Origin on_node = lanes.by_lane({Buffer::recv}, 3);
  EXPECT_EQ(on_node.starts, (std::vector{0, 3, 5, 5}));
  const Origin between = lanes.by_node({Buffer::recv, 3}, 1);
  EXPECT_EQ(between.start(0), 3);
  EXPECT_EQ(between.start(2), 5);
}

TEST(Lanes, LieEvenlyOnEvenNodes) {
  const Lanes lanes(Places(std::array{0, 1, 0, 1}));
  EXPECT_EQ(lanes.order(), (std::vector{0, 1, 2, 3}));
  const Origin on_node = lanes.by_lane({Buffer::recv}, 2);
  EXPECT_TRUE(on_node.starts.empty());
  EXPECT_EQ(on_node.scale, 2);
  EXPECT_TRUE(lanes.by_node({Buffer::recv}, 1).starts.empty());
}

/// The checker proves what serves; that something is refused is no failure there.
TEST(Multilane, ServesNodesWithDifferentNumbersOfRanks) {
  const Places places(std::array{0, 0, 0, 0, 0, 1, 1, 2, 2, 2});
  for (const Collective collective :
       {Collective::allgather, Collective::allgatherv, Collective::allreduce, Collective::alltoall,
        Collective::reduce_scatter, Collective::reduce_scatter_block}) {
    const Situation situation{
        .collective = collective, .ranks = 10, .bytes = 1 << 16, .elements = 1 << 13, .places = &places};
    const std::string outer = collective == Collective::alltoall ? ",outer=simple" : "";
    for (const std::string inner : {collective == Collective::allreduce ? "pairwise+simple"
                                    : reduces(collective)               ? "pairwise"
                                                                        : "simple",
                                    "shared"}) {
      const auto bound = candidate_named(collective, "multilane?inner=" + inner + outer);
      ASSERT_TRUE(bound) << name_of(collective) << inner;
      EXPECT_EQ(bound->refusal(situation), "") << name_of(collective) << inner;
    }
    const auto native = candidate_named(collective, "multilane?inner=native");
    EXPECT_NE(native->refusal(situation), "") << name_of(collective);
  }
}

}  // namespace
}  // namespace starling
