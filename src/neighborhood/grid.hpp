#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace starling::neighborhood {

/// The most dimensions of a grid and of an array on it.
inline constexpr int most_dimensions = 4;

/// One number for each dimension, and one where the values of a cell are a dimension of the array; those past the last
/// dimension mean nothing.
using PerDimension = std::array<int, most_dimensions + 1>;

/// The direction in which a neighbour lies: -1, 0 or 1 in each dimension, not 0 in all.
using Direction = PerDimension;

/// Which halo cells are wanted beside those of the faces.
enum class Corners : std::uint8_t {
  none,           ///< faces only: what a star-shaped stencil reads
  by_dimension,   ///< dimension by dimension: each message takes along what the dimensions before have brought
  from_diagonals  ///< every diagonal neighbour sends its own cells
};

/// Ranks on a Cartesian grid, in the order of MPI_Cart_create: the last dimension varies fastest.
struct Grid {
  int dimensions = 1;        ///< 1 to most_dimensions
  PerDimension ranks{1};     ///< along each dimension
  PerDimension periodic{0};  ///< whether the grid closes to a ring in a dimension: 0 or 1

  [[nodiscard]] int size() const;
  [[nodiscard]] PerDimension coordinates(int rank) const;
  /// The neighbour of `rank` in a direction; -1 beyond an end of the grid. It may be the rank itself.
  [[nodiscard]] int neighbour(int rank, const Direction& direction) const;
};

/// What is wrong with a grid, a sentence without a full stop; empty if it is right.
std::string mistake_in(const Grid& grid);

/// The directions of a rank's neighbours: in each dimension backward, then forward, as MPI's neighbourhood collectives
/// have them; with Corners::from_diagonals then the diagonal ones. Their numbers are the numbers of blocks.
std::vector<Direction> directions(int dimensions, Corners corners);

/// The number of the direction opposite to number `direction`.
constexpr int opposite(int direction) {
  return direction ^ 1;
}

}  // namespace starling::neighborhood
