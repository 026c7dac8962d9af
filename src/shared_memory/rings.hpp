#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <optional>
#include <span>
#include <vector>

#include "shared_memory/joint_copy.hpp"
#include "shared_memory/other_process.hpp"

namespace starling {

/// Memory that ranks of a node share, as one of them, a member, uses it: what a member publishes for some of the others
/// each of these takes, in the order in which it was published. Nothing here waits, and no function of MPI is called.
///
/// From each member to each other one there is a ring of slots, each a cache line: a sequence number, the size and up
/// to `most_in_slot` bytes, so that small data costs one line. More than that lies in the writer's pool of chunks, once
/// for all its readers, and the slot names the chunk. The reader counts what it has taken on a line of its own, by
/// which the writer knows which slots and chunks are free again. Numbers run on as long as the memory lives.
///
/// Where members may read each other's processes, data may also stay in place: the slot names its address, and each
/// reader copies it from there. A part that the system does not let it read it asks for, and the writer answers with a
/// copy. That happens to memory that belongs to a device or is kept secret, or when a member has given up rights.
class SharedRings {
 public:
  static constexpr std::size_t most_in_slot = 48;
  /// The most bytes of one piece.
  static constexpr std::size_t chunk_bytes = 16384;

  static constexpr int most_members = 256;

  /// What is published at a time. More than a chunk goes in several pieces, of which the last says so: a reader that
  /// expects another size, in a wrong program, thus comes to its end nevertheless.
  struct Piece {
    const char* data;
    std::size_t bytes;
    bool is_last;
  };
  /// A piece that is there for this member: in memory of this process, or all data at an address of the writer's.
  struct Found {
    const char* here;  ///< null where it is in place
    std::uint64_t in_place;
    std::size_t bytes;
    bool is_last;
  };

  /// Bytes that so many members need.
  static std::size_t bytes(int members);
  /// Some of the memory.
  struct Part {
    std::size_t first;  ///< byte
    std::size_t bytes;
  };
  /// What the member at that place writes most, or reads most of what is written for it alone. All members' parts
  /// together are all of the memory.
  static std::array<Part, 3> parts_of(int members, std::size_t place);
  /// The view of `me` on `memory` for `members` members, which begins on a cache line and was all zeros before any of
  /// them used it. Members are named by any numbers: `places[name]` is one's place among them.
  SharedRings(char* memory, int members, std::vector<std::int32_t> places, int me);

  /// Publishes a piece for `readers`, which are other members, each once. False where a slot or chunk is not free yet:
  /// nothing has happened then.
  bool publish(std::span<const std::int32_t> readers, const Piece& piece) {
    return piece.bytes <= most_in_slot ? publish_in_slots(readers, piece) : publish_in_chunk(readers, piece);
  }
  /// The next piece of `writer` for this member, aligned to 16 if not in place; nothing where it is not there yet. It
  /// stays there until `taken`.
  [[nodiscard]] std::optional<Found> next(std::int32_t writer) const {
    const std::size_t its = place(writer);
    const std::uint64_t number = taken_[its] + 1;
    const Slot& slot = slot_of(me_, its, number);
    if (slot.number.load(std::memory_order_acquire) != number) return {};
    if (slot.bytes <= most_in_slot && slot.chunk != no_chunk)
      return Found{slot.data.data(), 0, slot.bytes, slot.is_last};
    return found_outside(its, slot);
  }
  /// This member is done with what `next` returned.
  void taken(std::int32_t writer) {
    const std::size_t its = place(writer);
    const std::uint64_t number = ++taken_[its];
    const bool was_last = slot_of(me_, its, number).is_last;  // before the slot is the writer's again
    from(its).taken.store(number, std::memory_order_release);
    // Who takes the last piece often answers. The line of the answer, which its reader has, thus comes while this rank
    // does other work.
    if (was_last) fetch_to_write(&slot_of(its, me_, published_[its] + 1));
  }

  /// From now on the members, by their places, are in those processes, and publications may stay in place if members
  /// can read each other's.
  void know_processes(std::vector<ProcessWord> processes, bool may_stay_in_place);
  /// Whether its process has ended, as far as this one can know: a member waits in vain for another that has.
  [[nodiscard]] bool has_ended(std::int32_t member) const;
  /// Whether one for these readers may.
  [[nodiscard]] bool may_stay_in_place(std::span<const std::int32_t> readers) const;
  /// Publishes all bytes at `data` without copying them, as `publish` does. They must stay as they are while
  /// `is_needed`.
  bool publish_in_place(std::span<const std::int32_t> readers, const char* data, std::size_t bytes);
  /// Whether a reader has not yet taken everything that this member has published in place.
  bool is_needed();
  /// Whether that one has not.
  [[nodiscard]] bool is_needed_by(std::int32_t reader) const;
  /// Answers a reader that has asked for some of that. False where nobody has, or the last answer was not heard yet.
  bool answer();
  /// Copies for a reader a part of what it is copying. False where none of them has any left.
  bool help();

  /// Copies `bytes` bytes from the writer's process. Fewer were copied if less is returned; `errno` tells why.
  std::size_t read(std::int32_t writer, std::uint64_t address, char* into, std::size_t bytes) const;
  /// So many bytes are worth being copied by reader and writer together.
  static constexpr std::size_t least_together = 4 * JointCopy::part_bytes;
  /// Copies what `next` found in place, `bytes` bytes from its beginning, as far as the writer does not help. False if
  /// the system did not let it; `errno` tells why. Over once `is_copied`.
  bool copy(std::int32_t writer, std::uint64_t address, char* into, std::size_t bytes);
  /// Whether the writer is done with its parts of the latest copy.
  [[nodiscard]] bool is_copied(std::int32_t writer) const;
  /// Whether it could make them.
  [[nodiscard]] bool was_helped(std::int32_t writer) const;
  /// Asks the writer for bytes of its process, at most `chunk_bytes`, which it has published in place.
  void ask(std::int32_t writer, std::uint64_t address, std::size_t bytes);
  /// The answer to the latest question, aligned to 16; null where it is not there yet. It stays there until `heard`.
  [[nodiscard]] const char* answer_of(std::int32_t writer) const;
  void heard(std::int32_t writer);

 private:
  /// The more slots, the longer a line is left alone before it is written again, and the sooner it then comes.
  static constexpr std::size_t fewest_slots = 8;
  static constexpr std::size_t most_slots = 64;
  static constexpr std::uint64_t chunks = 16;
  static constexpr std::size_t line = 64;
  static_assert(chunk_bytes <= std::numeric_limits<std::uint16_t>::max(), "slots have no room for larger sizes");

  struct alignas(line) Slot {
    std::atomic<std::uint64_t> number;  ///< of the piece that is there; the first is 1
    std::uint16_t chunk;                ///< or `no_chunk`: `data` is an InPlace
    std::uint16_t bytes;
    bool is_last;
    alignas(16) std::array<char, most_in_slot> data;
  };
  static constexpr std::uint16_t no_chunk = chunks;
  struct InPlace {
    std::uint64_t address;
    std::uint64_t bytes;
  };
  /// What a reader tells a writer.
  struct alignas(line) Progress {
    std::atomic<std::uint64_t> taken;  ///< publications
    std::atomic<std::uint64_t> asked;  ///< questions
    std::atomic<std::uint64_t> heard;  ///< answers
    std::uint64_t address;             ///< of the writer's data for a question, of the reader's for a copy
    std::uint64_t bytes;
    JointCopy copy;
  };
  static_assert(sizeof(Slot) == line && sizeof(Progress) == line, "both are lines of a ring");
  struct alignas(line) Chunk {
    std::array<char, chunk_bytes> data;
  };
  /// A member's latest answer to any of its readers.
  struct alignas(line) Answer {
    std::atomic<std::uint64_t> to;  ///< `question` that it answers
    alignas(line) std::array<char, chunk_bytes> data;
  };
  /// A publication that a chunk holds, for one of its readers.
  struct Held {
    std::size_t reader;
    std::uint64_t number;
  };

  [[nodiscard]] std::size_t place(std::int32_t name) const {
    return static_cast<std::size_t>(places_[static_cast<std::size_t>(name)]);
  }
  /// Slots of a ring: a power of two. Those of all rings together take at most a quarter of what the pools do, or are
  /// the fewest.
  static std::size_t slots_for(std::size_t members) {
    constexpr std::size_t quarter = chunks * sizeof(Chunk) / sizeof(Slot) / 4;
    return std::clamp(std::bit_floor(quarter / members), fewest_slots, most_slots);
  }
  /// The ring of a pair: its slots, and behind them what the reader tells. That line also keeps slots of different
  /// rings out of the same sets of a cache.
  [[nodiscard]] Slot* ring(std::size_t reader, std::size_t writer) const {
    return rings_ + (((reader * members_) + writer) * (slots_ + 1));
  }
  [[nodiscard]] Slot& slot_of(std::size_t reader, std::size_t writer, std::uint64_t number) const {
    return ring(reader, writer)[(number - 1) & (slots_ - 1)];
  }
  [[nodiscard]] Progress& progress(std::size_t reader, std::size_t writer) const {
    return *reinterpret_cast<Progress*>(ring(reader, writer) + slots_);
  }
  [[nodiscard]] Progress& from(std::size_t writer) const { return progress(me_, writer); }
  [[nodiscard]] Progress& to(std::size_t reader) const { return progress(reader, me_); }
  /// Has the processor bring the cache line of `there`, for it alone.
  static void fetch_to_write(const void* there) {
#if defined(__x86_64__)
    // What compilers make of __builtin_prefetch for processors of any age brings it for reading.
    asm volatile("prefetchw %0" : : "m"(*static_cast<const char*>(there)));
#else
    __builtin_prefetch(there, 1);
#endif
  }
  /// Whether `reader` has taken publication `number` of this member.
  bool has_taken(std::size_t reader, std::uint64_t number) {
    if (seen_[reader] < number) seen_[reader] = to(reader).taken.load(std::memory_order_acquire);
    return seen_[reader] >= number;
  }
  /// Whether each of them has a free slot.
  bool have_slots(std::span<const std::int32_t> readers) {
    for (const std::int32_t one : readers) {
      const std::size_t reader = place(one);
      if (published_[reader] >= slots_ && !has_taken(reader, published_[reader] + 1 - slots_)) return false;
    }
    return true;
  }
  /// The next publication for `reader`, which `fill(slot)` describes.
  template <class Fill>
  void publish_for(std::size_t reader, Fill fill) {
    const std::uint64_t number = ++published_[reader];
    Slot& slot = slot_of(reader, me_, number);
    fill(slot);
    slot.number.store(number, std::memory_order_release);
  }
  /// Here, as the whole way of small data: function calls would cost a tenth of it.
  bool publish_in_slots(std::span<const std::int32_t> readers, const Piece& piece) {
    if (!have_slots(readers)) return false;
    for (const std::int32_t one : readers)
      publish_for(place(one), [&](Slot& slot) {
        slot.chunk = 0;
        slot.bytes = static_cast<std::uint16_t>(piece.bytes);
        slot.is_last = piece.is_last;
        if (piece.bytes > 0) std::memcpy(slot.data.data(), piece.data, piece.bytes);
      });
    return true;
  }
  bool publish_in_chunk(std::span<const std::int32_t> readers, const Piece& piece);
  /// What is not in the slot itself.
  [[nodiscard]] Found found_outside(std::size_t writer, const Slot& slot) const;
  /// A number that no other question to any writer has.
  static std::uint64_t question(std::size_t reader, std::uint64_t number) {
    return (number * most_members) + reader;
  }

  std::size_t members_;
  std::vector<std::int32_t> places_;
  std::size_t me_ = 0;
  std::size_t slots_;                            ///< of a ring
  Slot* rings_;                                  ///< of each reader from each writer
  Chunk* chunks_;                                ///< of all members, one after the other
  std::vector<std::uint64_t> published_;         ///< for each reader
  std::vector<std::uint64_t> seen_;              ///< that each reader had taken when this member last looked
  std::vector<std::uint64_t> taken_;             ///< from each writer
  std::array<std::vector<Held>, chunks> holds_;  ///< who must have taken what before a chunk is free
  std::uint64_t chunks_used_ = 0;

  Answer* answers_;                     ///< of all members
  std::vector<ProcessWord> processes_;  ///< of all members; empty where they are not known
  std::vector<bool> reads_;             ///< for each reader: it never had to ask; empty where nothing may stay in place
  std::vector<bool> helps_;             ///< for each reader: nothing kept this member from writing into its memory
  std::vector<Held> in_place_;          ///< who must take what before the data may change
  Held answered_{};                     ///< the latest answer, by the number of the question
};

}  // namespace starling
