#pragma once

#include <vector>

#include "algorithms/algorithm.hpp"

namespace starling {

/// A rank's place in a tree that spans all ranks from the root of a collective. Ranks are those of the team.
struct TreePlace {
  int parent = -1;  ///< -1 at the root
  std::vector<int> children{};
  /// Where its subtree ends. Counted from the root, a subtree of these trees is a run of ranks that begins with its own
  /// root; 0 for a tree that is none of these.
  int end = 0;
  int depth = 0;  ///< levels between it and the root; not of a tree that is none of these
};

/// The k-nomial tree: ranks counted from the root, the parent of a rank is the rank with its lowest digit to the base
/// `radix` that is not 0 made 0. Every subtree is a run of ranks; children stand in the order of their descendants,
/// most first.
TreePlace knomial_tree(const Team& team, int radix);

/// Levels below the root of the k-nomial tree of so many ranks.
int knomial_height(int ranks, int radix);

/// The binomial tree: ranks counted from the root, the parent of a rank is the rank without its lowest bit. Children
/// stand in the order of their descendants, most first, as in Nishtala et al., section 3.1.
TreePlace binomial_tree(const Team& team);

/// The binary tree: of the ranks below a rank, counted from the root, the first half hangs off the next rank and the
/// other half off the first of them. Nishtala et al., section 3.1.
TreePlace binary_tree(const Team& team);

/// The sequential tree: every rank is a child of the root. Nishtala et al., section 3.1.
TreePlace sequential_tree(const Team& team);

/// The chain: every rank has the next one as its only child. Nishtala et al., section 3.1.
TreePlace chain_tree(const Team& team);

/// How many ranks are in the subtree of the binomial tree whose root stands `relative` places after the root of all.
int binomial_subtree(int relative, int ranks);

/// The blocks in `buffer` of the subtree of the binomial tree below `rank`: one for each of its ranks, so one range, or
/// two where they go past the last rank.
std::vector<Blocks> binomial_subtree_blocks(const Team& team, int rank, Buffer buffer);

/// Gathers up the binomial tree: every rank has its own block in `buffer`, which has one for each rank; the root gets
/// all of them.
void gather_up_binomial_tree(Schedule& todo, const Team& team, Buffer buffer);

}  // namespace starling
