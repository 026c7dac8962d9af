#pragma once

#include <cstddef>
#include <cstdint>

#include "knowledge/run_record.hpp"

namespace starling {

/// The most bytes of a record. Readers accept four times as much (EarlierRuns::most_bytes).
inline constexpr std::size_t most_record_bytes = std::size_t{4} << 20;

/// Leaves out the least important parts of the contexts, until they take at most `most` bytes of a record. In steps,
/// each only if needed, and beginning with the context that took the least time: candidates that never ran; all but
/// native, the winner and sums; the context itself, whose sums go into `left_out`.
void shorten(RunRecord& record, std::size_t most = most_record_bytes);

/// How much of a context is left after the steps of `shorten`.
enum class Completeness : std::uint8_t {
  whole,     ///< there are candidates that never ran
  measured,  ///< there are decisions, or candidates besides native and the winner
  sums,      ///< nothing can be left out but the context itself
};
[[nodiscard]] Completeness completeness_of(const ContextRecord& context);
/// Takes the next step with a context of which so much is left; it has more than sums.
void leave_out_next(ContextRecord& context, Completeness left);
/// What the sums of those left out get for a context.
[[nodiscard]] LeftOut sums_of(const ContextRecord& context);

}  // namespace starling
