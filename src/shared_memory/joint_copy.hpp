#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>

namespace starling {

/// Who makes which parts of a copy between two processes: the reader claims parts from the front, and the writer, while
/// it only waits for the reader, from the end. Each claims half of what nobody has claimed yet, so both end at about
/// the same time. It lies in memory that both share, and begins as zeros. Nothing here waits.
class JointCopy {
 public:
  static constexpr std::size_t part_bytes = 16384;
  /// Of a copy: 256 GiB.
  static constexpr std::size_t most_bytes = part_bytes * ((std::size_t{1} << 24U) - 1);

  /// Parts that follow each other.
  struct Parts {
    std::uint64_t first;
    std::uint64_t count;
    [[nodiscard]] std::size_t offset() const { return first * part_bytes; }
    /// Of a copy of `all` bytes.
    [[nodiscard]] std::size_t bytes(std::size_t all) const { return std::min(count * part_bytes, all - offset()); }
  };

  /// The reader begins a copy of so many bytes, at least one and at most `most_bytes`, of the writer's publication
  /// `number`.
  void begin(std::uint64_t number, std::size_t bytes) {
    made_.store(0, std::memory_order_relaxed);
    open_.store(word({number & most_tag, 0, parts_of(bytes)}), std::memory_order_release);
  }
  /// The reader's next parts; all the rest if the writer has claimed nothing while the reader made the first half.
  std::optional<Parts> claim_front(std::size_t bytes) {
    std::uint64_t before = open_.load(std::memory_order_relaxed);
    while (true) {
      const Open open = opened(before);
      if (open.front == open.end) return {};
      const bool is_alone = open.front > 0 && open.end == parts_of(bytes);
      const std::uint64_t count = is_alone ? open.end - open.front : half_of(open);
      if (change(before, {open.tag, open.front + count, open.end})) return Parts{open.front, count};
    }
  }
  /// The writer's next parts of the copy of its publication `number`; none if that was not begun, or all is claimed.
  std::optional<Parts> claim_end(std::uint64_t number) {
    std::uint64_t before = open_.load(std::memory_order_acquire);
    while (true) {
      const Open open = opened(before);
      if (open.tag != (number & most_tag) || open.front == open.end) return {};
      const std::uint64_t count = half_of(open);
      if (change(before, {open.tag, open.front, open.end - count})) return Parts{open.end - count, count};
    }
  }
  /// The writer has made parts that it claimed, or could not.
  void made(const Parts& parts, bool is_made) {
    if (!is_made) made_.fetch_or(failure, std::memory_order_relaxed);
    made_.fetch_add(parts.count, std::memory_order_release);
  }
  /// The reader lets nobody claim any more.
  void close() {
    std::uint64_t before = open_.load(std::memory_order_relaxed);
    while (!change(before, {opened(before).tag, opened(before).end, opened(before).end})) continue;
  }
  /// Once all is claimed: whether the writer is done with its parts; and whether it could make them.
  [[nodiscard]] bool is_over(std::size_t bytes) const {
    const std::uint64_t claimed = parts_of(bytes) - opened(open_.load(std::memory_order_relaxed)).end;
    return (made_.load(std::memory_order_acquire) & ~failure) == claimed;
  }
  [[nodiscard]] bool is_made() const { return (made_.load(std::memory_order_relaxed) & failure) == 0; }

 private:
  /// What nobody has claimed, from `front` to before `end`, of the publication with that tag: of a copy that is over a
  /// late claim fails.
  struct Open {
    std::uint64_t tag;
    std::uint64_t front;
    std::uint64_t end;
  };
  static constexpr unsigned bits = 24;
  static constexpr std::uint64_t most = (std::uint64_t{1} << bits) - 1;
  static_assert(most_bytes / part_bytes == most);
  static constexpr std::uint64_t most_tag = (std::uint64_t{1} << (64 - (2 * bits))) - 1;
  static constexpr std::uint64_t failure = std::uint64_t{1} << 63U;

  static std::uint64_t word(const Open& open) { return (open.tag << (2 * bits)) | (open.front << bits) | open.end; }
  static Open opened(std::uint64_t word) { return {word >> (2 * bits), (word >> bits) & most, word & most}; }
  static std::uint64_t parts_of(std::size_t bytes) { return (bytes + part_bytes - 1) / part_bytes; }
  static std::uint64_t half_of(const Open& open) { return (open.end - open.front + 1) / 2; }
  bool change(std::uint64_t& before, const Open& after) {
    return open_.compare_exchange_weak(before, word(after), std::memory_order_acquire, std::memory_order_acquire);
  }

  std::atomic<std::uint64_t> open_;
  std::atomic<std::uint64_t> made_;  ///< parts by the writer, and whether it failed
};

}  // namespace starling
