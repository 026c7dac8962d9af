#include "runtime/exchange/block_memory.hpp"

#include <algorithm>
#include <new>

namespace starling::neighborhood {
namespace {

/// A cache line: neighbouring blocks share none.
constexpr std::size_t alignment = 64;

bool grow(std::unique_ptr<char[]>& memory, std::size_t& size, std::size_t wanted) {
  if (wanted <= size) return true;
  memory.reset(new (std::nothrow) char[wanted]);
  size = memory ? wanted : 0;
  return memory != nullptr;
}

}  // namespace

bool BlockMemory::reserve_packed() {
  std::size_t bytes = 0;
  const auto place = [&](const std::vector<Piece>& pieces, std::vector<std::size_t>& offsets) {
    offsets.resize(pieces.size());
    for (std::size_t i = 0; i < pieces.size(); ++i) {
      offsets[i] = bytes;
      if (!pieces[i].is_one_line())
        bytes += (static_cast<std::size_t>(pieces[i].bytes) + alignment - 1) / alignment * alignment;
    }
  };
  place(sends, packed_sends_);
  place(receives, packed_receives_);
  return grow(packed_, packed_size_, bytes);
}

void BlockMemory::release() {
  packed_.reset();
  copied_.reset();
  packed_size_ = copied_size_ = 0;
}

bool BlockMemory::reserve_copy(const Rounds& rounds, int rank) {
  std::size_t bytes = 0;
  for (const Round& round : rounds.all)
    if (round.to == rank) bytes = std::max(bytes, static_cast<std::size_t>(sends[index(round.send)].bytes));
  return grow(copied_, copied_size_, bytes);
}

}  // namespace starling::neighborhood
