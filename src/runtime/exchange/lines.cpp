#include "runtime/exchange/lines.hpp"

#include <cstring>
#include <vector>

namespace starling::neighborhood {
namespace {

/// The nested loops: calls `move` with the address of each line. A template, so that the copy of a line is inlined.
template <class Address, class Move>
void for_each_line(Address first, const Lines& lines, Move move) {
  for (std::int64_t h = 0; h < lines.count[0]; ++h)
    for (std::int64_t i = 0; i < lines.count[1]; ++i)
      for (std::int64_t j = 0; j < lines.count[2]; ++j) {
        Address line = first + (h * lines.stride[0]) + (i * lines.stride[1]) + (j * lines.stride[2]);
        for (std::int64_t k = 0; k < lines.count[3]; ++k, line += lines.stride[3]) move(line);
      }
}

/// With the length of short lines as a constant: the compiler then moves them in a register.
template <class WithLength>
void by_length(std::int64_t bytes, WithLength with_length) {
  switch (bytes) {
    case 4: return with_length([] { return std::size_t{4}; });
    case 8: return with_length([] { return std::size_t{8}; });
    case 16: return with_length([] { return std::size_t{16}; });
    case 24: return with_length([] { return std::size_t{24}; });
    case 32: return with_length([] { return std::size_t{32}; });
    default: return with_length([bytes] { return static_cast<std::size_t>(bytes); });
  }
}

}  // namespace

BoxInMemory lines_of(const Box& box, const HaloArray& array, std::int64_t cell_bytes, Order order) {
  struct Loop {
    std::int64_t count;
    std::ptrdiff_t stride;
  };
  std::vector<Loop> loops;  // innermost first; neighbouring lines become one
  BoxInMemory found;
  std::int64_t run = cell_bytes;
  std::ptrdiff_t stride = cell_bytes;
  for (int i = 0; i < array.dimensions; ++i) {
    const auto d = static_cast<std::size_t>(order == Order::c ? array.dimensions - 1 - i : i);
    found.start += box.from[d] * stride;
    if (loops.empty() && run == stride) {
      run *= box.size[d];
    } else if (!loops.empty() && loops.back().stride * loops.back().count == stride) {
      loops.back().count *= box.size[d];
    } else if (box.size[d] > 1) {
      loops.push_back({box.size[d], stride});
    }
    stride *= array.cells[d];
  }
  found.lines.bytes = run;
  for (std::size_t i = 0; i < loops.size(); ++i) {
    const std::size_t place = found.lines.count.size() - 1 - i;
    found.lines.count.at(place) = loops[i].count;
    found.lines.stride.at(place) = loops[i].stride;
  }
  return found;
}

void gather_lines(const char* from, const Lines& lines, char* into) {
  by_length(lines.bytes, [&](auto length) {
    for_each_line(from, lines, [&](const char* line) {
      std::memcpy(into, line, length());
      into += length();
    });
  });
}

void scatter_lines(const char* from, const Lines& lines, char* into) {
  by_length(lines.bytes, [&](auto length) {
    for_each_line(into, lines, [&](char* line) {
      std::memcpy(line, from, length());
      from += length();
    });
  });
}

}  // namespace starling::neighborhood
