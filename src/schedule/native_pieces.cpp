#include "schedule/native_pieces.hpp"

#include <algorithm>

namespace starling {
namespace {

/// `count` units of `data` from the unit `start` on; nothing of what is nothing (a buffer that only the root has).
Extent slice(const Extent& data, std::int64_t start, std::int64_t count) {
  return data.count == 0 ? data : Extent{data.buffer, data.first + start, count};
}

}  // namespace

std::int64_t piece_count(const NativePart& part, std::int64_t most) {
  if (!reduces(part.collective) || part.from.count <= most) return 1;
  const std::int64_t vectors = part.collective == Collective::reduce_scatter_block ? part.group.size() : 1;
  return vectors * (((part.from.count / vectors) + most - 1) / most);
}

std::vector<NativePart> pieces(const NativePart& part, std::int64_t most) {
  if (piece_count(part, most) == 1) return {part};
  const bool scatters = part.collective == Collective::reduce_scatter_block;
  const int vectors = scatters ? part.group.size() : 1;
  const std::int64_t units = part.from.count / vectors;
  std::vector<NativePart> all;
  for (int vector = 0; vector < vectors; ++vector) {
    for (std::int64_t done = 0; done < units; done += most) {
      NativePart& piece = all.emplace_back(part);
      const std::int64_t now = std::min(most, units - done);
      piece.from = slice(part.from, (vector * units) + done, now);
      piece.into = slice(part.into, done, now);
      if (scatters) piece.collective = Collective::reduce;
      if (scatters) piece.root = vector;
    }
  }
  return all;
}

}  // namespace starling
