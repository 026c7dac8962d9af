// The twenty implementations, proven on grids of all shapes and on random graphs.

#include <gtest/gtest.h>

#include <set>

#include "grids.hpp"
#include "neighborhood/implementation.hpp"
#include "sanitized.hpp"

namespace starling::neighborhood {
namespace {

TEST(NeighborhoodImplementations, AreTheTwentyOfTableOne) {
  std::set<std::string> names;
  for (const Implementation& one : implementations()) {
    EXPECT_EQ(implementation_named(one.name()), one);
    names.insert(one.name());
  }
  const std::set<std::string> published{
      "IsendIrecv_aao",     "IsendIrecv_pair",      "SendIrecv_aao",       "SendIrecv_pair",    "IsendIrecv_aao_pack",
      "SendIrecv_aao_pack", "IsendIrecv_pair_pack", "SendIrecv_pair_pack", "SendRecv_pair",     "Sendrecv_pair",
      "SendRecv_pair_pack", "Sendrecv_pair_pack",   "WinfecePut_aao",      "WinfeceGet_aao",    "PostStartPut_aao",
      "PostStartGet_aao",   "WinfecePut_pair",      "WinfeceGet_pair",     "PostStartPut_pair", "PostStartGet_pair"};
  EXPECT_EQ(names, published);
  EXPECT_EQ(implementation_named("SendRecv_aao"), std::nullopt);
}

TEST(NeighborhoodImplementations, OtherCombinationsSayWhyNot) {
  EXPECT_NE(infeasible({Partners::aao, Handling::ddt, Transfer::sendrecv}), "");
  EXPECT_NE(infeasible({Partners::pair, Handling::pack, Transfer::put_fence}), "");
}

/// Every implementation with every way to fill corners.
void prove(const Grid& grid, int width) {
  for (const Corners corners : {Corners::none, Corners::by_dimension, Corners::from_diagonals}) {
    const auto ranks = halos_to_check(grid, uneven_blocks(grid, width), width, corners);
    for (const Implementation& one : implementations())
      ASSERT_EQ(check(ranks, one), "") << described(grid) << " " << one.name() << ", halo " << width << ", corners "
                                       << static_cast<int>(corners);
  }
}

void prove_shapes(int dimensions, int most_ranks, int longest, int widest) {
  if (testing::sanitized) most_ranks = std::min(most_ranks, 4);
  const int step = testing::sanitized ? (1 << dimensions) - 1 : 1;  // no dimension is periodic, then all are
  for (const auto& shape : shapes(dimensions, most_ranks, longest))
    for (int periods = 0; periods < 1 << dimensions; periods += step) {
      std::vector<int> periodic;
      for (int d = 0; d < dimensions; ++d) periodic.push_back((periods >> d) & 1);
      for (int width = 1; width <= widest; ++width) prove(grid_of(shape, periodic), width);
      if (::testing::Test::HasFatalFailure()) return;
    }
}

TEST(NeighborhoodImplementations, AreProvenInOneDimension) {
  prove_shapes(1, 36, 36, 3);
}
TEST(NeighborhoodImplementations, AreProvenInTwoDimensions) {
  prove_shapes(2, 20, 6, 2);
}
TEST(NeighborhoodImplementations, AreProvenInThreeDimensions) {
  prove_shapes(3, 12, 4, 1);
}
TEST(NeighborhoodImplementations, AreProvenInFourDimensions) {
  prove_shapes(4, 6, 3, 1);
}

TEST(NeighborhoodImplementations, AreProvenOnLargerGridsAndWiderHalos) {
  prove(grid_of({6, 6}, {1, 0}), 3);
  prove(grid_of({3, 3, 4}, {1, 1, 0}), 1);
  prove(grid_of({3, 2, 2}, {0, 1, 1}), 3);
  prove(grid_of({2, 2, 2, 2}, {1, 0, 1, 0}), 1);
  prove(grid_of({1, 2, 1, 3}, {1, 1, 0, 1}), 2);
}

TEST(NeighborhoodImplementations, AreProvenOnRandomGraphs) {
  std::mt19937 random(7);
  for (int graph = 0; graph < 150; ++graph) {
    const int ranks = 1 + (graph % 17);
    const auto links = random_graph(random, ranks, graph % (5 * ranks));
    const auto all = graph_to_check(links, ranks);
    for (const Implementation& one : implementations())
      ASSERT_EQ(check(all, one), "") << "graph " << graph << " " << one.name();
  }
}

TEST(NeighborhoodImplementations, AStartWithoutWaitingPostsWhatDoesNotBlock) {
  const auto ranks = halos_to_check(grid_of({3}, {1}), uneven_blocks(grid_of({3}, {1}), 2), 1, Corners::none);
  const auto first_blocking = [&](const char* name) {
    const Steps steps = steps_of(ranks[0].rounds, 0, *implementation_named(name));
    std::size_t first = 0;
    while (!blocks(steps.all[first].act)) ++first;
    return first;
  };
  EXPECT_EQ(first_blocking("IsendIrecv_aao"), 4u);
  EXPECT_EQ(first_blocking("SendIrecv_aao"), 2u);
  EXPECT_EQ(first_blocking("PostStartPut_aao"), 1u);
  EXPECT_EQ(first_blocking("WinfecePut_aao"), 0u);
}

}  // namespace
}  // namespace starling::neighborhood
