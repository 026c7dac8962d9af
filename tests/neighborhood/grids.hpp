#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "neighborhood/checker.hpp"

namespace starling::neighborhood {

inline Grid grid_of(const std::vector<int>& ranks, const std::vector<int>& periodic) {
  Grid grid{.dimensions = static_cast<int>(ranks.size())};
  std::copy(ranks.begin(), ranks.end(), grid.ranks.begin());
  std::copy(periodic.begin(), periodic.end(), grid.periodic.begin());
  return grid;
}

inline std::string described(const Grid& grid) {
  std::string text;
  for (std::size_t d = 0; d < static_cast<std::size_t>(grid.dimensions); ++d)
    text += (d == 0 ? "" : "x") + std::to_string(grid.ranks[d]) + (grid.periodic[d] != 0 ? "p" : "");
  return text;
}

/// Blocks of `least` inner cells and some with one more, in each dimension.
inline BlockSizes uneven_blocks(const Grid& grid, int least) {
  BlockSizes sizes;
  for (std::size_t d = 0; d < static_cast<std::size_t>(grid.dimensions); ++d)
    for (int c = 0; c < grid.ranks[d]; ++c) sizes[d].push_back(least + ((c + static_cast<int>(d)) % 2));
  return sizes;
}

/// All grids of at most `most_ranks` ranks in so many dimensions, with sides up to `longest`, in the order of sides.
inline std::vector<std::vector<int>> shapes(int dimensions, int most_ranks, int longest) {
  std::vector<std::vector<int>> all{{}};
  for (int d = 0; d < dimensions; ++d) {
    std::vector<std::vector<int>> longer;
    for (const auto& shape : all)
      for (int side = 1; side <= longest; ++side) {
        int ranks = side;
        for (const int one : shape) ranks *= one;
        if (ranks > most_ranks) break;
        longer.push_back(shape);
        longer.back().push_back(side);
      }
    all = std::move(longer);
  }
  return all;
}

/// A graph of random links, several between two ranks and some from a rank to itself. Slots are numbered as MPI does
/// it: each rank's outgoing links in their order, and its incoming ones in another.
inline std::vector<Link> random_graph(std::mt19937& random, int ranks, int links) {
  std::uniform_int_distribution<int> any(0, ranks - 1);
  std::vector<Link> all;
  for (int i = 0; i < links; ++i) all.push_back({any(random), 0, any(random), 0});
  std::vector<int> sends(static_cast<std::size_t>(ranks));
  std::vector<int> receives(static_cast<std::size_t>(ranks));
  for (Link& one : all) one.send = sends[static_cast<std::size_t>(one.from)]++;
  std::vector<Link*> shuffled;
  for (Link& one : all) shuffled.push_back(&one);
  std::shuffle(shuffled.begin(), shuffled.end(), random);
  for (Link* one : shuffled) one->receive = receives[static_cast<std::size_t>(one->to)]++;
  return all;
}

}  // namespace starling::neighborhood
