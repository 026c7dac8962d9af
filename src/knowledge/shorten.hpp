#pragma once

#include <cstddef>

#include "knowledge/run_record.hpp"

namespace starling {

/// The most bytes of a record. Readers accept four times as much (EarlierRuns::most_bytes).
inline constexpr std::size_t most_record_bytes = std::size_t{4} << 20;

/// Leaves out the least important parts of the contexts, until they take at most `most` bytes of a record. In steps,
/// each only if needed, and beginning with the context that took the least time: candidates that never ran; all but
/// native, the winner and sums; the context itself, whose sums go into `left_out`.
void shorten(RunRecord& record, std::size_t most = most_record_bytes);

}  // namespace starling
