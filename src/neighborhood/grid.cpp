#include "neighborhood/grid.hpp"

#include <climits>

#include "neighborhood/index.hpp"

namespace starling::neighborhood {

int Grid::size() const {
  int product = 1;
  for (int d = 0; d < dimensions; ++d) product *= ranks[index(d)];
  return product;
}

PerDimension Grid::coordinates(int rank) const {
  PerDimension place{};
  for (int d = dimensions - 1; d >= 0; --d) {
    place[index(d)] = rank % ranks[index(d)];
    rank /= ranks[index(d)];
  }
  return place;
}

int Grid::neighbour(int rank, const Direction& direction) const {
  const PerDimension place = coordinates(rank);
  int found = 0;
  for (int d = 0; d < dimensions; ++d) {
    int along = place[index(d)] + direction[index(d)];
    if (along < 0 || along >= ranks[index(d)]) {
      if (periodic[index(d)] == 0) return -1;
      along = (along + ranks[index(d)]) % ranks[index(d)];
    }
    found = (found * ranks[index(d)]) + along;
  }
  return found;
}

std::string mistake_in(const Grid& grid) {
  if (grid.dimensions < 1 || grid.dimensions > most_dimensions)
    return "a grid has 1 to " + std::to_string(most_dimensions) + " dimensions, not " + std::to_string(grid.dimensions);
  std::int64_t size = 1;
  for (int d = 0; d < grid.dimensions; ++d) {
    if (grid.ranks[index(d)] < 1)
      return "dimension " + std::to_string(d) + " of the grid has " + std::to_string(grid.ranks[index(d)]) + " ranks";
    size *= grid.ranks[index(d)];
    if (size > INT_MAX) return "the grid has more ranks than MPI can count";
  }
  return {};
}

std::vector<Direction> directions(int dimensions, Corners corners) {
  std::vector<Direction> all;
  for (int d = 0; d < dimensions; ++d) {
    for (const int step : {-1, 1}) {
      Direction direction{};
      direction[index(d)] = step;
      all.push_back(direction);
    }
  }
  if (corners != Corners::from_diagonals) return all;
  int combinations = 1;
  for (int d = 0; d < dimensions; ++d) combinations *= 3;
  // Digits to base 3, less 1. The direction opposite to number n is number combinations - 1 - n: so half of them do.
  for (int number = 0; number < combinations / 2; ++number) {
    Direction direction{};
    Direction back{};
    int off_axis = 0;
    for (int d = dimensions - 1, rest = number; d >= 0; --d, rest /= 3) {
      direction[index(d)] = (rest % 3) - 1;
      back[index(d)] = -direction[index(d)];
      off_axis += direction[index(d)] != 0 ? 1 : 0;
    }
    if (off_axis < 2) continue;
    all.push_back(direction);
    all.push_back(back);
  }
  return all;
}

}  // namespace starling::neighborhood
