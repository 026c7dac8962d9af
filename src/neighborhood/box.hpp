#pragma once

#include <cstdint>
#include <string>

#include "neighborhood/grid.hpp"

namespace starling::neighborhood {

/// Cells of an array: `size[d]` of them from `from[d]` on in each dimension d.
struct Box {
  PerDimension from{};
  PerDimension size{};
  bool operator==(const Box&) const = default;
};

/// The array of one rank's cells, with a halo of the same width on both sides of each dimension.
struct HaloArray {
  int dimensions = 1;
  PerDimension cells{};  ///< along each dimension, with both halos
  int width = 1;         ///< of the halo, in cells

  /// Cells along a dimension without the halos.
  [[nodiscard]] int inner(int dimension) const { return cells[static_cast<std::size_t>(dimension)] - (2 * width); }
};

/// What is wrong with an array, a sentence without a full stop; empty if it is right. A halo is never wider than the
/// block: a neighbour could not fill it.
std::string mistake_in(const HaloArray& array);

/// Which cells of `rank`'s array go to the neighbour in a direction, and which come from there. Where corners travel by
/// dimension, the boxes of a dimension reach into the halos of the dimensions before it, on sides with a neighbour:
/// cells beyond the end of the grid are never touched.
Box box_to_send(const HaloArray& array, const Grid& grid, int rank, const Direction& to, Corners corners);
Box box_to_receive(const HaloArray& array, const Grid& grid, int rank, const Direction& from, Corners corners);

}  // namespace starling::neighborhood
