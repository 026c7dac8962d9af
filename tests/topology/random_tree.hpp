#pragma once

#include <random>
#include <utility>
#include <vector>

#include "topology/switch_tree.hpp"

namespace starling {

/// A random tree: up to 8 switches with uneven numbers of ranks, some without ranks.
inline SwitchTree random_tree(int ranks, unsigned seed) {
  std::minstd_rand dice(seed * 7919U + static_cast<unsigned>(ranks));
  const auto below = [&](int n) { return static_cast<int>(dice() % static_cast<unsigned>(n)); };
  const int switches = 1 + below(8);
  std::vector<int> parents{-1};
  for (int one = 1; one < switches; ++one) parents.push_back(below(one));
  std::vector<int> hangs;
  for (int rank = 0; rank < ranks; ++rank)
    hangs.push_back(below(2) == 0 ? below(switches) : hangs.empty() ? 0 : hangs.back());
  return {std::move(parents), std::move(hangs)};
}

}  // namespace starling
