#include "algorithms/shared/trees.hpp"

#include <algorithm>
#include <bit>

namespace starling {

TreePlace binomial_tree(const Team& team) {
  const int me = team.relative();
  const int lowest_bit = me & -me;
  TreePlace place;
  if (me > 0) place.parent = team.absolute(me - lowest_bit);
  const int first = me > 0 ? lowest_bit / 2 : static_cast<int>(std::bit_floor(static_cast<unsigned>(team.size)));
  for (int bit = first; bit > 0; bit /= 2)
    if (me + bit < team.size) place.children.push_back(team.absolute(me + bit));
  return place;
}

TreePlace chain_tree(const Team& team) {
  const int me = team.relative();
  TreePlace place;
  if (me > 0) place.parent = team.absolute(me - 1);
  if (me + 1 < team.size) place.children.push_back(team.absolute(me + 1));
  return place;
}

int binomial_subtree(int relative, int ranks) {
  return relative == 0 ? ranks : std::min(relative & -relative, ranks - relative);
}

}  // namespace starling
