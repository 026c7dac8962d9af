#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace starling {

/// Consecutive units.
struct Units {
  std::int64_t first;
  std::int64_t count;
  bool operator==(const Units&) const = default;
};

/// Where the blocks of a buffer lie and how large they are, in units (bytes, or elements of a reduction's datatype).
class Layout {
 public:
  /// `total` units in `blocks` blocks; the first total mod blocks are one unit larger than the others. Or first in
  /// blocks / parts blocks of ranks, then each of these in `parts` parts, both times like that.
  Layout(int blocks, std::int64_t total, int parts = 1) { divide(blocks, total, parts); }

  void divide(int blocks, std::int64_t total, int parts = 1) {
    blocks_ = blocks;
    parts_ = parts;
    total_ = total;
    listed_.clear();
  }
  /// Starts anew with no block, to be followed by `add` or `add_at`. Memory is kept for them.
  void clear() { divide(0, 0); }
  /// One more block of `size` units right behind those before it.
  void add(std::int64_t size) { add_at(total_, size); }
  /// One more block anywhere. Only messages of single blocks may use such a layout.
  void add_at(std::int64_t start, std::int64_t size) {
    listed_.push_back({start, size});
    ++blocks_;
    total_ += size;
  }

  [[nodiscard]] int blocks() const { return blocks_; }
  /// How many blocks a rank's block is divided into.
  [[nodiscard]] int parts() const { return parts_; }
  /// Units of all blocks together.
  [[nodiscard]] std::int64_t total() const { return total_; }
  /// The first unit of a block.
  [[nodiscard]] std::int64_t start(int block) const {
    if (!listed_.empty()) return listed_[static_cast<std::size_t>(block)].first;
    const Share whole(total_, blocks_ / parts_, block / parts_);
    return whole.start + Share(whole.size, parts_, block % parts_).start;
  }
  [[nodiscard]] std::int64_t size(int block) const {
    if (!listed_.empty()) return listed_[static_cast<std::size_t>(block)].count;
    return Share(Share(total_, blocks_ / parts_, block / parts_).size, parts_, block % parts_).size;
  }
  /// Whether all blocks are equally large.
  [[nodiscard]] bool is_even() const {
    const auto is_same = [](const Units& one, const Units& other) { return one.count == other.count; };
    if (!listed_.empty()) return std::equal(listed_.begin() + 1, listed_.end(), listed_.begin(), is_same);
    return blocks_ == 0 || total_ % blocks_ == 0;
  }
  /// Units of a rank's block with all its parts.
  [[nodiscard]] std::int64_t size_of_rank(int rank) const {
    const int last = ((rank + 1) * parts_) - 1;
    return start(last) + size(last) - start(rank * parts_);
  }
  /// The blocks; null where the total is divided evenly.
  [[nodiscard]] const Units* listed() const { return listed_.empty() ? nullptr : listed_.data(); }
  /// Bytes of memory besides the object's own.
  [[nodiscard]] std::size_t bytes() const { return listed_.capacity() * sizeof(Units); }
  bool operator==(const Layout&) const = default;

 private:
  /// Share number `index` of units that are divided evenly, the larger shares first.
  struct Share {
    Share(std::int64_t units, int shares, int index)
        : start((units / shares * index) + std::min<std::int64_t>(index, units % shares)),
          size((units / shares) + (index < units % shares ? 1 : 0)) {}
    std::int64_t start;
    std::int64_t size;
  };

  int blocks_ = 0;
  int parts_ = 1;
  std::int64_t total_ = 0;
  std::vector<Units> listed_;  ///< empty where the total is divided evenly
};

/// Consecutive units of one buffer.
struct Extent {
  std::int32_t buffer;  ///< as Buffer
  std::int64_t first;   ///< units from the start of the buffer
  std::int64_t count;   ///< units
  [[nodiscard]] Units units() const { return {first, count}; }
};

}  // namespace starling
