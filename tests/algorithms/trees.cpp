#include "algorithms/shared/trees.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <utility>
#include <vector>

#include "algorithms/shared/folding.hpp"
#include "algorithms/shared/mesh.hpp"
#include "algorithms/shared/pipeline.hpp"
#include "algorithms/shared/tree_sum.hpp"
#include "algorithms/shared/vector_halving.hpp"

namespace starling {
namespace {

/// Ranks of the subtree below `rank`.
std::set<int> descendants(TreePlace (*tree)(const Team&), int size, int rank, int root) {
  std::set<int> all{rank};
  for (const int child : tree({size, rank, root}).children) all.merge(descendants(tree, size, child, root));
  return all;
}

class EveryTree : public ::testing::TestWithParam<TreePlace (*)(const Team&)> {};

TEST_P(EveryTree, SpansAllRanksFromItsRootAndAgreesOnParents) {
  for (int size = 1; size <= 20; ++size) {
    for (int root = 0; root < size; ++root) {
      EXPECT_EQ(descendants(GetParam(), size, root, root).size(), static_cast<std::size_t>(size));
      EXPECT_EQ(GetParam()({size, root, root}).parent, -1);
      EXPECT_EQ(GetParam()({size, root, root}).depth, 0);
      for (int rank = 0; rank < size; ++rank)
        for (const int child : GetParam()({size, rank, root}).children) {
          const TreePlace below = GetParam()({size, child, root});
          EXPECT_EQ(below.parent, rank);
          EXPECT_EQ(below.depth, GetParam()({size, rank, root}).depth + 1);
        }
    }
  }
}

TEST_P(EveryTree, HasRunsOfRanksForSubtrees) {
  for (int size = 1; size <= 20; ++size)
    for (int root : {0, size / 2})
      for (int rank = 0; rank < size; ++rank) {
        const Team team{size, rank, root};
        std::set<int> run;
        for (int relative = team.relative(); relative < GetParam()(team).end; ++relative)
          run.insert(team.absolute(relative));
        EXPECT_EQ(run, descendants(GetParam(), size, rank, root)) << size << " ranks, root " << root;
      }
}

TreePlace trinomial_tree(const Team& team) {
  return knomial_tree(team, 3);
}

INSTANTIATE_TEST_SUITE_P(Trees, EveryTree,
                         ::testing::Values(&binomial_tree, &chain_tree, &trinomial_tree, &binary_tree,
                                           &sequential_tree));

TEST(KnomialTree, ServesTheLargestSubtreeFirst) {
  EXPECT_EQ(trinomial_tree({9, 0}).children, (std::vector<int>{6, 3, 2, 1}));
  EXPECT_EQ(trinomial_tree({9, 3}).children, (std::vector<int>{5, 4}));
  EXPECT_EQ(trinomial_tree({9, 5}).parent, 3);
  EXPECT_EQ(knomial_tree({8, 0}, 8).children, (std::vector<int>{7, 6, 5, 4, 3, 2, 1}));
}

TEST(BinaryTree, IsAsLowAsABinaryTreeCanBe) {
  const auto depth = [](int size, int rank) {
    int steps = 0;
    for (; rank != 0; ++steps) rank = binary_tree({size, rank}).parent;
    return steps;
  };
  for (int rank = 0; rank < 15; ++rank) EXPECT_LE(depth(15, rank), 3);
  for (int rank = 0; rank < 100; ++rank) EXPECT_LE(depth(100, rank), 6);
}

TEST(BinomialTree, ServesTheLargestSubtreeFirst) {
  EXPECT_EQ(binomial_tree({8, 0}).children, (std::vector<int>{4, 2, 1}));
  EXPECT_EQ(binomial_tree({8, 7, 3}).children, (std::vector<int>{1, 0})) << "rank 7 stands 4 places after root 3";
  EXPECT_EQ(binomial_tree({6, 0}).children, (std::vector<int>{4, 2, 1}));
}

TEST(BinomialTree, KnowsHowManyRanksASubtreeHas) {
  for (int size = 1; size <= 20; ++size)
    for (int rank = 0; rank < size; ++rank)
      EXPECT_EQ(static_cast<std::size_t>(binomial_subtree(rank, size)),
                descendants(&binomial_tree, size, rank, 0).size());
}

TEST(BinomialSubtreeBlocks, AreTwoRangesWhereTheyGoPastTheLastRank) {
  EXPECT_EQ(binomial_subtree_blocks({8, 0, 0}, 4, Buffer::recv), (std::vector<Blocks>{recvbuf(4, 4)}));
  EXPECT_EQ(binomial_subtree_blocks({8, 0, 2}, 6, Buffer::recv), (std::vector<Blocks>{recvbuf(6, 2), recvbuf(0, 2)}));
}

TEST(TreeSum, CombinesTheNearestChildFirstAndEndsWhereItShould) {
  const Team team{.size = 4, .rank = 0};
  const Schedule todo = pipelined_up(team, binomial_tree(team));
  ASSERT_EQ(todo.rounds().size(), 2U) << "one for each child, so that one vector of scratch is enough";
  EXPECT_EQ(todo.rounds()[0].receives()[0].peer, 1);
  EXPECT_EQ(todo.rounds()[0].locals()[0].from, sendbuf(0));
  EXPECT_EQ(todo.rounds()[1].receives()[0].peer, 2);
  EXPECT_EQ(todo.rounds()[1].locals()[0].into, recvbuf(0));
}

TEST(VectorHalving, SendsTheLargestHalfToTheNearest) {
  const Team team{.size = 8, .rank = 5, .root = 0, .division = {8}};
  Schedule todo(team.blocks());
  const Buffer spare = todo.add_scratch(team.blocks());
  halve_vector(todo, 5, 8, Buffer::recv, spare, [](int worker) { return worker; });
  std::vector<std::pair<int, int>> sent;
  for (const Round& round : todo.rounds()) sent.emplace_back(round.sends()[0].peer, round.sends()[0].blocks.count);
  EXPECT_EQ(sent, (std::vector<std::pair<int, int>>{{4, 4}, {7, 2}, {1, 1}}));
}

TEST(Mesh, HasSidesAsCloseAsCanBe) {
  EXPECT_EQ(mesh_shape(16, 2), (std::vector<int>{4, 4}));
  EXPECT_EQ(mesh_shape(12, 2), (std::vector<int>{4, 3}));
  EXPECT_EQ(mesh_shape(10, 2), (std::vector<int>{5, 2}));
  EXPECT_EQ(mesh_shape(27, 3), (std::vector<int>{3, 3, 3}));
  EXPECT_EQ(mesh_shape(24, 3), (std::vector<int>{3, 4, 2}));
}

TEST(Mesh, IsRefusedWhereSidesWouldHaveOneRank) {
  for (const int ranks : {1, 2, 3, 13}) EXPECT_EQ(mesh_shape(ranks, 2), std::vector<int>{}) << ranks;
  for (const int ranks : {4, 6, 9, 14}) EXPECT_EQ(mesh_shape(ranks, 3), std::vector<int>{}) << ranks;
  EXPECT_EQ(mesh_refusal({.ranks = 7}, 2), "needs a number of ranks that is a product of two");
}

TEST(Pipeline, ReceivesTheNextBlockWhileItSendsTheLast) {
  const Team team{.size = 3, .rank = 1, .root = 0, .division = {3}};
  const Schedule todo = pipelined_down(team, chain_tree(team));
  ASSERT_EQ(todo.rounds().size(), 4U);
  EXPECT_TRUE(todo.rounds()[0].sends().empty());
  EXPECT_EQ(todo.rounds()[1].receives()[0].blocks, recvbuf(1));
  EXPECT_EQ(todo.rounds()[1].sends()[0].blocks, recvbuf(0));
  EXPECT_TRUE(todo.rounds()[3].receives().empty());
}

TEST(Pipeline, SendsAWholeVectorFirstWhereTheWayDownIsLongest) {
  const Team team{.size = 8, .rank = 0, .root = 0, .division = {1}};
  const Schedule todo = pipelined_down(team, binomial_tree(team));
  ASSERT_EQ(todo.rounds().size(), 3U);
  for (std::size_t i = 0; i < 3; ++i) {
    ASSERT_EQ(todo.rounds()[i].sends().size(), 1U);
    EXPECT_EQ(todo.rounds()[i].sends()[0].peer, 4 >> i);
  }
}

TEST(Folding, GivesEveryRankToOneWorkerInOrder) {
  for (int ranks = 1; ranks <= 40; ++ranks) {
    const Folding folding(ranks);
    EXPECT_EQ(folding.first_block(0), 0);
    EXPECT_EQ(folding.first_block(folding.workers), ranks);
    for (int worker = 0; worker < folding.workers; ++worker) {
      const int rank = folding.rank(worker);
      EXPECT_FALSE(folding.rests(rank));
      EXPECT_EQ(folding.worker(rank), worker);
      EXPECT_EQ(folding.first_block(worker + 1) - folding.first_block(worker), folding.works_for_two(rank) ? 2 : 1);
      EXPECT_EQ(folding.first_block(worker + 1) - 1, rank);
    }
  }
}

}  // namespace
}  // namespace starling
