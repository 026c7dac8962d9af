#include "shared_memory/rings.hpp"

#include <cstring>
#include <utility>

namespace starling {

std::size_t SharedRings::bytes(int members) {
  const auto all = static_cast<std::size_t>(members);
  return (all * all * sizeof(Ring)) + (all * chunks * sizeof(Chunk));
}

// The memory comes from the system as zeros, which is what rings hold that nobody has used.
SharedRings::SharedRings(char* memory, int members, std::vector<std::int32_t> places, int me)
    : members_(static_cast<std::size_t>(members)),
      places_(std::move(places)),
      rings_(reinterpret_cast<Ring*>(memory)),
      chunks_(reinterpret_cast<Chunk*>(memory + (members_ * members_ * sizeof(Ring)))),
      published_(members_),
      seen_(members_),
      taken_(members_) {
  static_assert(std::atomic<std::uint64_t>::is_always_lock_free, "ranks share no lock");
  me_ = place(me);
  for (std::vector<Held>& one : holds_) one.reserve(members_);
}

bool SharedRings::has_taken(std::size_t reader, std::uint64_t number) {
  if (seen_[reader] < number) seen_[reader] = to(reader).taken.load(std::memory_order_acquire);
  return seen_[reader] >= number;
}

bool SharedRings::publish(std::span<const std::int32_t> readers, const Piece& piece) {
  const std::size_t bytes = piece.bytes;
  for (const std::int32_t one : readers) {
    const std::size_t reader = place(one);
    if (published_[reader] >= slots && !has_taken(reader, published_[reader] + 1 - slots)) return false;
  }
  const std::uint64_t chunk = chunks_used_ % chunks;
  if (bytes > most_in_slot) {
    std::vector<Held>& holds = holds_[chunk];
    for (const Held& one : holds)
      if (!has_taken(one.reader, one.number)) return false;
    holds.clear();
    for (const std::int32_t one : readers) holds.push_back({place(one), published_[place(one)] + 1});
    std::memcpy(chunks_[(me_ * chunks) + chunk].data.data(), piece.data, bytes);
    ++chunks_used_;
  }
  for (const std::int32_t one : readers) {
    const std::size_t reader = place(one);
    const std::uint64_t number = ++published_[reader];
    Slot& slot = to(reader).slot[(number - 1) % slots];
    slot.chunk = static_cast<std::uint16_t>(chunk);
    slot.bytes = static_cast<std::uint16_t>(bytes);
    slot.is_last = piece.is_last;
    if (bytes > 0 && bytes <= most_in_slot) std::memcpy(slot.data.data(), piece.data, bytes);
    slot.number.store(number, std::memory_order_release);
  }
  return true;
}

SharedRings::Piece SharedRings::next(std::int32_t writer) const {
  const std::size_t its = place(writer);
  const std::uint64_t number = taken_[its] + 1;
  const Slot& slot = from(its).slot[(number - 1) % slots];
  if (slot.number.load(std::memory_order_acquire) != number) return {nullptr, 0, false};
  const char* const data =
      slot.bytes <= most_in_slot ? slot.data.data() : chunks_[(its * chunks) + slot.chunk].data.data();
  return {data, slot.bytes, slot.is_last};
}

void SharedRings::taken(std::int32_t writer) {
  const std::size_t its = place(writer);
  from(its).taken.store(++taken_[its], std::memory_order_release);
}

}  // namespace starling
