#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "neighborhood/box.hpp"

namespace starling::neighborhood {

/// Which index of an array's element varies fastest in memory: C's the last, Fortran's the first.
enum class Order : std::uint8_t { c, fortran };

/// A box in memory as lines of consecutive bytes, in nested loops: what a hand-written packing loop would copy. The
/// cells of a line need no loop, so there is one for each other number of PerDimension.
struct Lines {
  std::int64_t bytes = 0;                         ///< of a line; 0 where the data is not known to be such lines
  std::array<std::int64_t, 4> count{1, 1, 1, 1};  ///< of each loop, the innermost last
  std::array<std::ptrdiff_t, 4> stride{};         ///< bytes

  [[nodiscard]] bool known() const { return bytes > 0; }
  /// Whether the data is one line, and can be sent from where it is.
  [[nodiscard]] bool is_one() const { return known() && count[0] * count[1] * count[2] * count[3] == 1; }
};

/// The lines of a box of an array whose cells are `cell_bytes` consecutive bytes each, and where they begin in bytes
/// from the start of the array.
struct BoxInMemory {
  Lines lines;
  std::ptrdiff_t start = 0;
};
BoxInMemory lines_of(const Box& box, const HaloArray& array, std::int64_t cell_bytes, Order order);

/// Copies lines that begin at `from` to consecutive bytes, and back.
void gather_lines(const char* from, const Lines& lines, char* into);
void scatter_lines(const char* from, const Lines& lines, char* into);

}  // namespace starling::neighborhood
