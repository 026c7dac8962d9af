#pragma once

#include <cstddef>

#include "knowledge/run_record.hpp"

namespace starling {

/// Bytes that a record has at most. Readers take four times as much (EarlierRuns::most_bytes).
inline constexpr std::size_t most_record_bytes = std::size_t{4} << 20;

/// Leaves out of the contexts what matters least, until they take at most `most` bytes of a record. It begins with the
/// context that took the least time, and goes on only where this was not enough: candidates that never ran; all but
/// native, the winner, and sums; the context itself, whose sums `left_out` then has.
void shorten(RunRecord& record, std::size_t most = most_record_bytes);

}  // namespace starling
