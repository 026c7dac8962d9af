#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <span>

namespace starling {

/// Sizes that share a context: from `from` up to, but without, `up_to`.
struct SizeBucket {
  std::int64_t from;
  std::int64_t up_to;
  bool operator==(const SizeBucket&) const = default;
};

/// The bucket of a size of at least 0 bytes: from a power of two up to the next one, cut at the `edges` inside: sizes
/// from which another choice may be right, in ascending order.
inline SizeBucket bucket_of(std::int64_t bytes, std::span<const std::int64_t> edges) {
  const auto power =
      bytes > 0 ? static_cast<std::int64_t>(std::bit_floor(static_cast<std::uint64_t>(bytes))) : std::int64_t{0};
  SizeBucket bucket{power, std::max<std::int64_t>(1, 2 * power)};
  const auto above = std::upper_bound(edges.begin(), edges.end(), bytes);
  if (above != edges.end()) bucket.up_to = std::min(bucket.up_to, *above);
  if (above != edges.begin()) bucket.from = std::max(bucket.from, *(above - 1));
  return bucket;
}

}  // namespace starling
