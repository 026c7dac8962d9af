#include "neighborhood/grid.hpp"

#include <climits>

namespace starling::neighborhood {
namespace {

std::size_t at(int dimension) {
  return static_cast<std::size_t>(dimension);
}

}  // namespace

int Grid::size() const {
  int product = 1;
  for (int d = 0; d < dimensions; ++d) product *= ranks[at(d)];
  return product;
}

PerDimension Grid::coordinates(int rank) const {
  PerDimension place{};
  for (int d = dimensions - 1; d >= 0; --d) {
    place[at(d)] = rank % ranks[at(d)];
    rank /= ranks[at(d)];
  }
  return place;
}

int Grid::neighbour(int rank, const Direction& direction) const {
  const PerDimension place = coordinates(rank);
  int found = 0;
  for (int d = 0; d < dimensions; ++d) {
    int along = place[at(d)] + direction[at(d)];
    if (along < 0 || along >= ranks[at(d)]) {
      if (periodic[at(d)] == 0) return -1;
      along = (along + ranks[at(d)]) % ranks[at(d)];
    }
    found = (found * ranks[at(d)]) + along;
  }
  return found;
}

std::string mistake_in(const Grid& grid) {
  if (grid.dimensions < 1 || grid.dimensions > most_dimensions)
    return "a grid has 1 to " + std::to_string(most_dimensions) + " dimensions, not " + std::to_string(grid.dimensions);
  std::int64_t size = 1;
  for (int d = 0; d < grid.dimensions; ++d) {
    if (grid.ranks[at(d)] < 1)
      return "dimension " + std::to_string(d) + " of the grid has " + std::to_string(grid.ranks[at(d)]) + " ranks";
    size *= grid.ranks[at(d)];
    if (size > INT_MAX) return "the grid has more ranks than MPI can count";
  }
  return {};
}

std::vector<Direction> directions(int dimensions, Corners corners) {
  std::vector<Direction> all;
  for (int d = 0; d < dimensions; ++d) {
    for (const int step : {-1, 1}) {
      Direction direction{};
      direction[at(d)] = step;
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
      direction[at(d)] = (rest % 3) - 1;
      back[at(d)] = -direction[at(d)];
      off_axis += direction[at(d)] != 0 ? 1 : 0;
    }
    if (off_axis < 2) continue;
    all.push_back(direction);
    all.push_back(back);
  }
  return all;
}

}  // namespace starling::neighborhood
