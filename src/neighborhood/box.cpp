#include "neighborhood/box.hpp"

#include <algorithm>

#include "neighborhood/index.hpp"

namespace starling::neighborhood {
namespace {

/// The box beside the face in `direction`: inside of it, or outside, in the halo.
Box beside_face(const HaloArray& array, const Grid& grid, int rank, const Direction& direction, Corners corners,
                bool inside) {
  Box box;
  const int axis = static_cast<int>(
      std::find_if(direction.begin(), direction.end(), [](int step) { return step != 0; }) - direction.begin());
  for (int d = 0; d < array.dimensions; ++d) {
    if (direction[index(d)] != 0) {
      box.size[index(d)] = array.width;
      const int offset = inside ? array.width : 0;
      box.from[index(d)] = direction[index(d)] < 0 ? offset : array.cells[index(d)] - array.width - offset;
      continue;
    }
    box.from[index(d)] = array.width;
    box.size[index(d)] = array.inner(d);
    if (corners != Corners::by_dimension || d > axis) continue;
    Direction along{};
    along[index(d)] = -1;
    if (grid.neighbour(rank, along) >= 0) {
      box.from[index(d)] -= array.width;
      box.size[index(d)] += array.width;
    }
    along[index(d)] = 1;
    if (grid.neighbour(rank, along) >= 0) box.size[index(d)] += array.width;
  }
  return box;
}

}  // namespace

std::string mistake_in(const HaloArray& array) {
  if (array.dimensions < 1 || array.dimensions > most_dimensions)
    return "an array with a halo has 1 to " + std::to_string(most_dimensions) + " dimensions, not " +
           std::to_string(array.dimensions);
  if (array.width < 1) return "the halo is " + std::to_string(array.width) + " cells wide; it must be 1 or more";
  for (int d = 0; d < array.dimensions; ++d) {
    // As 64-bit numbers: the width may be anything.
    const std::int64_t inner = array.cells[index(d)] - (std::int64_t{2} * array.width);
    if (inner < array.width)
      return "dimension " + std::to_string(d) + " has " + std::to_string(array.cells[index(d)]) +
             " cells with both halos, which leaves fewer than the " + std::to_string(array.width) +
             " that a neighbour needs for its halo; make the halo narrower or the block larger";
  }
  return {};
}

Box box_to_send(const HaloArray& array, const Grid& grid, int rank, const Direction& to, Corners corners) {
  return beside_face(array, grid, rank, to, corners, true);
}

Box box_to_receive(const HaloArray& array, const Grid& grid, int rank, const Direction& from, Corners corners) {
  return beside_face(array, grid, rank, from, corners, false);
}

}  // namespace starling::neighborhood
