#pragma once

#include <optional>
#include <span>

#include "schedule/schedule.hpp"

namespace starling {

/// A vector of which blocks are combined with those of partners, in the order of ranks. It begins as the send buffer,
/// and from the first exchange on lies in one of two buffers as large as the vector that take turns: a sum lands where
/// its right operand was. Both are scratch, made when they are needed, or one is the caller's receive buffer.
class RunningSum {
 public:
  explicit RunningSum(Schedule& todo) : todo_(&todo) {}
  /// `second` is one of the two buffers. In place it may hold the send buffer: what arrives first lands in the other
  /// one.
  RunningSum(Schedule& todo, Buffer second) : todo_(&todo), second_(second) {}

  /// Sends the ranges `give` of the sum to `peer`, where there are any, receives `keep` and combines them with the own.
  /// From then on only `keep` counts.
  void exchange(int rank, int peer, std::span<const Blocks> give, std::span<const Blocks> keep);
  /// `range` of the buffer that holds the sum now; the buffer that `range` names does not matter.
  [[nodiscard]] Blocks now(Blocks range) const { return at(buffer_, range.first, range.count); }

 private:
  Buffer scratch(std::optional<Buffer>& which);

  Schedule* todo_;
  Buffer buffer_ = Buffer::send;
  std::optional<Buffer> first_;
  std::optional<Buffer> second_;
};

}  // namespace starling
