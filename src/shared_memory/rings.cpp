#include "shared_memory/rings.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "shared_memory/copying.hpp"

namespace starling {

std::size_t SharedRings::bytes(int members) {
  const auto all = static_cast<std::size_t>(members);
  return (all * all * (slots_for(all) + 1) * line) + (all * chunks * sizeof(Chunk)) + (all * sizeof(Answer));
}

std::array<SharedRings::Part, 3> SharedRings::parts_of(int members, std::size_t place) {
  const auto all = static_cast<std::size_t>(members);
  const std::size_t of_rings = all * (slots_for(all) + 1) * sizeof(Slot);
  const std::size_t of_chunks = chunks * sizeof(Chunk);
  const std::size_t chunks_begin = all * of_rings;
  const std::size_t answers_begin = chunks_begin + (all * of_chunks);
  return {{{place * of_rings, of_rings},
           {chunks_begin + (place * of_chunks), of_chunks},
           {answers_begin + (place * sizeof(Answer)), sizeof(Answer)}}};
}

// The memory comes from the system as zeros, which is what rings hold that nobody has used.
SharedRings::SharedRings(char* memory, int members, std::vector<std::int32_t> places, int me)
    : members_(static_cast<std::size_t>(members)),
      places_(std::move(places)),
      slots_(slots_for(members_)),
      rings_(reinterpret_cast<Slot*>(memory)),
      chunks_(reinterpret_cast<Chunk*>(rings_ + (members_ * members_ * (slots_ + 1)))),
      published_(members_),
      seen_(members_),
      taken_(members_),
      answers_(reinterpret_cast<Answer*>(chunks_ + (members_ * chunks))) {
  static_assert(std::atomic<std::uint64_t>::is_always_lock_free, "ranks share no lock");
  me_ = place(me);
  for (std::vector<Held>& one : holds_) one.reserve(members_);
}

bool SharedRings::publish_in_chunk(std::span<const std::int32_t> readers, const Piece& piece) {
  if (!have_slots(readers)) return false;
  const std::uint64_t chunk = chunks_used_ % chunks;
  std::vector<Held>& holds = holds_[chunk];
  for (const Held& one : holds)
    if (!has_taken(one.reader, one.number)) return false;
  holds.clear();
  for (const std::int32_t one : readers) holds.push_back({place(one), published_[place(one)] + 1});
  copy_for_others(chunks_[(me_ * chunks) + chunk].data.data(), piece.data, piece.bytes);
  ++chunks_used_;
  for (const std::int32_t one : readers)
    publish_for(place(one), [&](Slot& slot) {
      slot.chunk = static_cast<std::uint16_t>(chunk);
      slot.bytes = static_cast<std::uint16_t>(piece.bytes);
      slot.is_last = piece.is_last;
    });
  return true;
}

SharedRings::Found SharedRings::found_outside(std::size_t writer, const Slot& slot) const {
  if (slot.chunk == no_chunk) {
    InPlace all{};
    std::memcpy(&all, slot.data.data(), sizeof all);
    return {nullptr, all.address, all.bytes, true};
  }
  return {chunks_[(writer * chunks) + slot.chunk].data.data(), 0, slot.bytes, slot.is_last};
}

void SharedRings::know_processes(std::vector<ProcessWord> processes, bool may_stay_in_place) {
  processes_ = std::move(processes);
  if (!may_stay_in_place) return;
  reads_.assign(members_, true);
  helps_.assign(members_, true);
  in_place_.reserve(members_);
}

bool SharedRings::may_stay_in_place(std::span<const std::int32_t> readers) const {
  return !reads_.empty() && std::ranges::all_of(readers, [&](std::int32_t one) { return reads_[place(one)]; });
}

bool SharedRings::publish_in_place(std::span<const std::int32_t> readers, const char* data, std::size_t bytes) {
  if (!have_slots(readers)) return false;
  const InPlace all{reinterpret_cast<std::uintptr_t>(data), bytes};
  for (const std::int32_t one : readers) {
    const std::size_t reader = place(one);
    publish_for(reader, [&](Slot& slot) {
      slot.chunk = no_chunk;
      std::memcpy(slot.data.data(), &all, sizeof all);
    });
    in_place_.push_back({reader, published_[reader]});
  }
  return true;
}

bool SharedRings::is_needed() {
  std::erase_if(in_place_, [&](const Held& one) { return has_taken(one.reader, one.number); });
  return !in_place_.empty();
}

bool SharedRings::is_needed_by(std::int32_t reader) const {
  return std::ranges::any_of(in_place_, [&](const Held& one) { return one.reader == place(reader); });
}

bool SharedRings::has_ended(std::int32_t member) const {
  return !processes_.empty() && starling::has_ended(processes_[place(member)]);
}

bool SharedRings::answer() {
  if (answered_.number > to(answered_.reader).heard.load(std::memory_order_acquire)) return false;
  for (const Held& one : in_place_) {
    const Progress& told = to(one.reader);
    const std::uint64_t asked = told.asked.load(std::memory_order_acquire);
    if (asked == told.heard.load(std::memory_order_relaxed)) continue;
    Answer& mine = answers_[me_];
    // Other processes name this one's memory by numbers.
    const auto* const asked_for = reinterpret_cast<const char*>(static_cast<std::uintptr_t>(told.address));
    std::memcpy(mine.data.data(), asked_for, told.bytes);
    mine.to.store(question(one.reader, asked), std::memory_order_release);
    answered_ = {one.reader, asked};
    reads_[one.reader] = false;
    return true;
  }
  return false;
}

bool SharedRings::help() {
  for (const Held& one : in_place_) {
    if (!helps_[one.reader]) continue;
    Progress& told = to(one.reader);
    const auto parts = told.copy.claim_end(one.number);
    if (!parts) continue;
    InPlace all{};
    std::memcpy(&all, slot_of(one.reader, me_, one.number).data.data(), sizeof all);
    const auto* const data = reinterpret_cast<const char*>(static_cast<std::uintptr_t>(all.address));
    const std::size_t bytes = parts->bytes(told.bytes);
    helps_[one.reader] = write_process(processes_[one.reader].process, told.address + parts->offset(),
                                       data + parts->offset(), bytes) == bytes;
    told.copy.made(*parts, helps_[one.reader]);
    return true;
  }
  return false;
}

bool SharedRings::copy(std::int32_t writer, std::uint64_t address, char* into, std::size_t bytes) {
  const std::size_t its = place(writer);
  Progress& told = from(its);
  told.address = std::uint64_t{reinterpret_cast<std::uintptr_t>(into)};
  told.bytes = bytes;
  told.copy.begin(taken_[its] + 1, bytes);
  while (const auto parts = told.copy.claim_front(bytes)) {
    const std::size_t part = parts->bytes(bytes);
    if (read(writer, address + parts->offset(), into + parts->offset(), part) == part) continue;
    told.copy.close();
    return false;
  }
  return true;
}

bool SharedRings::is_copied(std::int32_t writer) const {
  const Progress& told = from(place(writer));
  return told.copy.is_over(told.bytes);
}

bool SharedRings::was_helped(std::int32_t writer) const {
  return from(place(writer)).copy.is_made();
}

std::size_t SharedRings::read(std::int32_t writer, std::uint64_t address, char* into, std::size_t bytes) const {
  return read_process(processes_[place(writer)].process, address, into, bytes);
}

void SharedRings::ask(std::int32_t writer, std::uint64_t address, std::size_t bytes) {
  Progress& told = from(place(writer));
  told.address = address;
  told.bytes = bytes;
  told.asked.store(told.asked.load(std::memory_order_relaxed) + 1, std::memory_order_release);
}

const char* SharedRings::answer_of(std::int32_t writer) const {
  const Answer& its = answers_[place(writer)];
  const std::uint64_t asked = from(place(writer)).asked.load(std::memory_order_relaxed);
  return its.to.load(std::memory_order_acquire) == question(me_, asked) ? its.data.data() : nullptr;
}

void SharedRings::heard(std::int32_t writer) {
  Progress& told = from(place(writer));
  told.heard.store(told.asked.load(std::memory_order_relaxed), std::memory_order_release);
}

}  // namespace starling
