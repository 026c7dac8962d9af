#include "algorithms/shared/level_tree.hpp"

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

#include "topology/places.hpp"

namespace starling {
namespace {

struct Inside {
  std::vector<int> nodes;
  std::vector<int> domains;
};

/// Nodes and domains of different sizes, ranks numbered node by node and not.
const std::vector<Inside>& insides() {
  static const std::vector<Inside> all{
      {{0, 0, 1, 1}, {0, 1, 0, 1}},
      {{0, 0, 0, 1, 1, 2}, {0, 0, 1, 0, 1, 0}},
      {{0, 1, 0, 2, 1, 0, 0, 0, 2}, {0, 0, 0, 0, 1, 1, 1, 2, 1}},
      {{0, 0, 0, 0, 0, 0, 0, 1, 2, 3, 4}, {0, 0, 0, 0, 0, 1, 1, 0, 0, 0, 0}},
  };
  return all;
}

TEST(LevelTree, EachLevelIsOneBelowItsParentAndTheHeightReachesAll) {
  for (const Inside& inside : insides())
    for (const std::string inner : {"binomial", "shared", "domains"})
      for (const std::string outer : {"chain", "binomial"})
        for (const std::string in_memory : {"chain", "sequential"}) {
          const Places places(inside.nodes, inside.domains);
          const Parameters with{{"inner", inner}, {"outer", outer}};
          const auto at = [&](int rank) {
            return level_tree({.size = places.ranks(), .rank = rank, .places = &places}, with, in_memory);
          };
          std::set<int> below;
          for (int rank = 0; rank < places.ranks(); ++rank) {
            const TreePlace place = at(rank);
            EXPECT_EQ(place.parent < 0, place.depth == 0);
            for (const int child : place.children) {
              below.insert(child);
              EXPECT_EQ(at(child).parent, rank);
              EXPECT_EQ(at(child).depth, place.depth + 1) << inner << ", " << outer << ", " << in_memory;
            }
            const Team team{.size = places.ranks(), .rank = rank, .places = &places};
            EXPECT_LE(place.depth, level_tree_height(team, with, in_memory));
          }
          EXPECT_EQ(static_cast<int>(below.size()), places.ranks() - 1);
        }
}

}  // namespace
}  // namespace starling
