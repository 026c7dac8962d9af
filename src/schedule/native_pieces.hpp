#pragma once

#include <cstdint>
#include <vector>

#include "schedule/program.hpp"

namespace starling {

/// A native part of a reduction as several, one after the other, whose send buffers have at most `most` units. MPI's
/// functions count with an int, and a predefined operator takes no derived type that would stand for more elements. All
/// members get the same number of pieces. The blocks of a reduce_scatter_block are reduced one by one, each to its
/// member. Data that only moves needs no pieces.
std::vector<NativePart> pieces(const NativePart& part, std::int64_t most);
/// How many these are.
std::int64_t piece_count(const NativePart& part, std::int64_t most);

}  // namespace starling
