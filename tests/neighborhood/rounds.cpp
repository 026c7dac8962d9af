#include "neighborhood/rounds.hpp"

#include <gtest/gtest.h>

#include <map>

#include "grids.hpp"
#include "neighborhood/box.hpp"

namespace starling::neighborhood {
namespace {

TEST(NeighborhoodGrid, NumbersRanksAsMpiDoes) {
  const Grid grid = grid_of({2, 3}, {0, 1});
  EXPECT_EQ(grid.size(), 6);
  EXPECT_EQ(grid.coordinates(4), (PerDimension{1, 1}));
  EXPECT_EQ(grid.neighbour(4, {1}), -1);
  EXPECT_EQ(grid.neighbour(4, {-1}), 1);
  EXPECT_EQ(grid.neighbour(3, {0, -1}), 5);
  EXPECT_EQ(grid.neighbour(5, {-1, 1}), 0);
}

TEST(NeighborhoodGrid, SaysWhatIsWrongWithIt) {
  EXPECT_EQ(mistake_in(grid_of({2, 3}, {0, 1})), "");
  EXPECT_EQ(mistake_in(grid_of({2, 0}, {0, 0})), "dimension 1 of the grid has 0 ranks");
  EXPECT_NE(mistake_in(Grid{.dimensions = 5}), "");
  EXPECT_NE(mistake_in(grid_of({1 << 16, 1 << 16}, {0, 0})), "");
}

TEST(NeighborhoodGrid, DirectionsComeInOppositePairs) {
  for (int dimensions = 1; dimensions <= most_dimensions; ++dimensions) {
    const auto faces = directions(dimensions, Corners::none);
    EXPECT_EQ(faces.size(), 2u * static_cast<std::size_t>(dimensions));
    const auto all = directions(dimensions, Corners::from_diagonals);
    std::size_t wanted = 1;
    for (int d = 0; d < dimensions; ++d) wanted *= 3;
    EXPECT_EQ(all.size(), wanted - 1);
    EXPECT_TRUE(std::equal(faces.begin(), faces.end(), all.begin()));
    EXPECT_EQ(std::set(all.begin(), all.end()).size(), all.size());
    for (std::size_t i = 0; i < all.size(); ++i)
      for (std::size_t d = 0; d < most_dimensions; ++d)
        EXPECT_EQ(all[i][d], -all[static_cast<std::size_t>(opposite(static_cast<int>(i)))][d]);
  }
}

TEST(NeighborhoodBox, AHaloWiderThanTheBlockIsAMistake) {
  EXPECT_EQ(mistake_in(HaloArray{2, {6, 6}, 2}), "");
  const std::string wide = mistake_in(HaloArray{2, {6, 5}, 2});
  EXPECT_NE(wide.find("dimension 1 has 5 cells"), std::string::npos) << wide;
  EXPECT_NE(mistake_in(HaloArray{2, {6, 6}, 0}), "");
  EXPECT_NE(mistake_in(HaloArray{0, {}, 1}), "");
  EXPECT_NE(mistake_in(HaloArray{1, {6}, 2147483647}), "");
}

/// Each link lies in the same round at both ends, once, and no rank has two in one direction in a round.
void expect_colouring(const std::vector<Link>& links, int ranks) {
  std::vector<Rounds> all;
  for (int rank = 0; rank < ranks; ++rank) all.push_back(rounds_on(links, ranks, rank));
  std::map<int, int> out;
  std::map<int, int> in;
  int most = 0;
  for (const Link& one : links) most = std::max({most, ++out[one.from], ++in[one.to]});
  std::size_t found = 0;
  for (int rank = 0; rank < ranks; ++rank) {
    const Rounds& here = all[static_cast<std::size_t>(rank)];
    ASSERT_EQ(here.all.size(), static_cast<std::size_t>(most));
    for (std::size_t i = 0; i < here.all.size(); ++i) {
      if (here.all[i].to < 0) continue;
      const Round& there = all[static_cast<std::size_t>(here.all[i].to)].all[i];
      EXPECT_EQ(there.from, rank);
      const Link link{rank, here.all[i].send, here.all[i].to, there.receive};
      found += static_cast<std::size_t>(std::count(links.begin(), links.end(), link));
    }
  }
  EXPECT_EQ(found, links.size());
}

TEST(NeighborhoodRounds, OfAGraphAreAsManyAsTheBusiestRankHasLinks) {
  std::mt19937 random(3);
  for (int graph = 0; graph < 300; ++graph) {
    const int ranks = 1 + (graph % 23);
    expect_colouring(random_graph(random, ranks, graph % (6 * ranks)), ranks);
  }
}

TEST(NeighborhoodRounds, OfAGridGivenAsAGraphAreThoseOfTheGrid) {
  for (const auto& [shape, periodic] :
       {std::pair{std::vector{4, 3}, std::vector{1, 1}}, std::pair{std::vector{2, 5, 3}, std::vector{1, 0, 1}},
        std::pair{std::vector{1, 3}, std::vector{1, 1}}}) {
    const Grid grid = grid_of(shape, periodic);
    std::vector<Link> links;
    for (int rank = 0; rank < grid.size(); ++rank)
      for (const Round& round : rounds_on(grid, rank, Corners::none).all)
        if (round.to >= 0) links.push_back({rank, round.send, round.to, opposite(round.send)});
    for (int rank = 0; rank < grid.size(); ++rank) {
      const Rounds as_grid = rounds_on(grid, rank, Corners::none);
      const Rounds as_graph = rounds_on(links, grid.size(), rank);
      EXPECT_EQ(as_graph.all, as_grid.all) << described(grid) << " rank " << rank;
      EXPECT_EQ(as_graph.stage_ends, as_grid.stage_ends);
    }
  }
}

TEST(NeighborhoodRounds, EverySecondRankSendsFirst) {
  const Grid line = grid_of({7}, {0});
  const Grid ring = grid_of({5}, {1});
  std::string on_line;
  std::string on_ring;
  for (int rank = 0; rank < 7; ++rank) on_line += rounds_on(line, rank, Corners::none).all[1].sends_first ? 's' : 'r';
  for (int rank = 0; rank < 5; ++rank) on_ring += rounds_on(ring, rank, Corners::none).all[1].sends_first ? 's' : 'r';
  EXPECT_EQ(on_line, "srsrsrs");
  EXPECT_EQ(on_ring, "srsrs");
}

}  // namespace
}  // namespace starling::neighborhood
