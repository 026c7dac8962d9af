#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "schedule/schedule.hpp"

namespace starling {

/// How large the blocks of a call are, in units (bytes, or elements of a reduction's datatype).
/// Either `total` units divided as evenly as can be, or the blocks' ends as given.
class Layout {
 public:
  /// `total` units in `blocks` blocks; the first total mod blocks are one unit larger.
  Layout(int blocks, std::int64_t total) : blocks_(blocks), total_(total) {}
  /// `starts[i]` is the first unit of block i; one more entry than blocks.
  explicit Layout(std::vector<std::int64_t> starts)
      : blocks_(static_cast<int>(starts.size()) - 1), total_(starts.back()), starts_(std::move(starts)) {}

  [[nodiscard]] int blocks() const { return blocks_; }
  [[nodiscard]] std::int64_t total() const { return total_; }
  /// Units before block `block`; `block` may be one past the last.
  [[nodiscard]] std::int64_t start(int block) const {
    if (!starts_.empty()) return starts_[static_cast<std::size_t>(block)];
    const std::int64_t extra = total_ % blocks_;
    return (total_ / blocks_ * block) + (block < extra ? block : extra);
  }
  [[nodiscard]] std::int64_t size(int block) const { return start(block + 1) - start(block); }
  bool operator==(const Layout&) const = default;

 private:
  int blocks_;
  std::int64_t total_;
  std::vector<std::int64_t> starts_;
};

/// Consecutive units of one buffer.
struct Extent {
  std::int32_t buffer;  ///< as Buffer
  std::int64_t first;   ///< units from the start of the buffer
  std::int64_t count;   ///< units
};

struct Message {
  std::int32_t peer;
  Extent data;
};

struct Work {
  Local::Kind kind;
  Extent from;
  Extent into;
};

struct NativePart {
  Collective collective;
  Group group;
  int root;
  Extent from;
  Extent into;
};

/// A round as ranges of a program's flat arrays. Its receives stand before its sends.
struct Step {
  std::int32_t messages;  ///< first of them
  std::int32_t receives;
  std::int32_t sends;
  std::int32_t works;  ///< first of them
  std::int32_t work_count;
  std::int32_t native;  ///< index, or -1
};

/// A schedule made ready to run on calls of one layout: flat, with every size and offset known. Messages of blocks that
/// turn out empty are gone (both ends know); zero-byte signals remain.
struct Program {
  std::vector<Step> steps;
  std::vector<Message> messages;
  std::vector<Work> works;
  std::vector<NativePart> natives;
  std::vector<std::int64_t> scratch;  ///< units of each scratch buffer
  int most_messages = 0;              ///< in one step
};

/// Binds a schedule to a layout. `rank` tells which block a send or receive buffer of a single block is as large as
/// (allgather's send, reduce_scatter's recv, and so on; see docs/schedules.md).
Program bind(const Schedule& schedule, const Layout& layout, Collective collective, int rank);

}  // namespace starling
