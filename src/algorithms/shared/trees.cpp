#include "algorithms/shared/trees.hpp"

#include <algorithm>

namespace starling {

TreePlace knomial_tree(const Team& team, int radix) {
  const int me = team.relative();
  TreePlace place;
  std::int64_t weight = 1;
  while (weight < team.size && me / weight % radix == 0) weight *= radix;
  if (me > 0) place.parent = team.absolute(me - static_cast<int>(me / weight % radix * weight));
  for (weight /= radix; weight > 0; weight /= radix)
    for (std::int64_t child = me + ((radix - 1) * weight); child > me; child -= weight)
      if (child < team.size) place.children.push_back(team.absolute(static_cast<int>(child)));
  return place;
}

TreePlace binomial_tree(const Team& team) {
  return knomial_tree(team, 2);
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

std::vector<Blocks> binomial_subtree_blocks(const Team& team, int rank, Buffer buffer) {
  const int count = binomial_subtree(team.wrap(rank - team.root), team.size);
  const int before_end = std::min(count, team.size - rank);
  std::vector<Blocks> ranges{at(buffer, rank, before_end)};
  if (count > before_end) ranges.push_back(at(buffer, 0, count - before_end));
  return ranges;
}

void gather_up_binomial_tree(Schedule& todo, const Team& team, Buffer buffer) {
  const TreePlace place = binomial_tree(team);
  if (!place.children.empty()) {
    Round& round = todo.round();
    for (const int child : place.children)
      for (const Blocks& range : binomial_subtree_blocks(team, child, buffer)) round.receive(range, child);
  }
  if (place.parent < 0) return;
  Round& round = todo.round();
  for (const Blocks& range : binomial_subtree_blocks(team, team.rank, buffer)) round.send(range, place.parent);
}

}  // namespace starling
