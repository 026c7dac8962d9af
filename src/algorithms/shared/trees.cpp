#include "algorithms/shared/trees.hpp"

#include <algorithm>

namespace starling {

TreePlace knomial_tree(const Team& team, int radix) {
  const int me = team.relative();
  TreePlace place;
  std::int64_t weight = 1;
  while (weight < team.size && me / weight % radix == 0) weight *= radix;
  place.end = static_cast<int>(std::min<std::int64_t>(me + weight, team.size));
  if (me > 0) place.parent = team.absolute(me - static_cast<int>(me / weight % radix * weight));
  for (weight /= radix; weight > 0; weight /= radix)
    for (std::int64_t child = me + ((radix - 1) * weight); child > me; child -= weight)
      if (child < team.size) place.children.push_back(team.absolute(static_cast<int>(child)));
  for (int rest = me; rest > 0; rest /= radix) place.depth += rest % radix != 0 ? 1 : 0;
  return place;
}

int knomial_height(int ranks, int radix) {
  int height = 0;
  for (std::int64_t reach = 1; reach < ranks; reach *= radix) ++height;
  return height;
}

TreePlace binomial_tree(const Team& team) {
  return knomial_tree(team, 2);
}

TreePlace binary_tree(const Team& team) {
  const int me = team.relative();
  const auto second_half = [](int first, int end) { return first + 1 + ((end - first) / 2); };
  TreePlace place;
  int first = 0;
  place.end = team.size;
  while (first != me) {
    place.parent = team.absolute(first);
    ++place.depth;
    const int second = second_half(first, place.end);
    if (me >= second) {
      first = second;
    } else {
      place.end = second;
      ++first;
    }
  }
  const int second = second_half(me, place.end);
  if (me + 1 < place.end) place.children.push_back(team.absolute(me + 1));
  if (second < place.end) place.children.push_back(team.absolute(second));
  return place;
}

TreePlace sequential_tree(const Team& team) {
  TreePlace place;
  if (team.relative() > 0) {
    place.parent = team.root;
    place.end = team.relative() + 1;
    place.depth = 1;
    return place;
  }
  for (int child = 1; child < team.size; ++child) place.children.push_back(team.absolute(child));
  place.end = team.size;
  return place;
}

TreePlace chain_tree(const Team& team) {
  const int me = team.relative();
  TreePlace place;
  place.end = team.size;
  place.depth = me;
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
