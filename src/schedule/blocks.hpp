#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace starling {

/// What a schedule calls a buffer. `send` and `recv` are the caller's; what they hold is in docs/schedules.md and, for
/// the checker, in `expectation.cpp`. Scratch buffers are numbered from `scratch`.
enum class Buffer : std::int32_t { send = 0, recv = 1, scratch = 2 };

/// The index of a scratch buffer within Schedule::scratch.
constexpr std::size_t scratch_index(Buffer buffer) {
  return static_cast<std::size_t>(buffer) - static_cast<std::size_t>(Buffer::scratch);
}

/// The scratch buffer of that index.
constexpr Buffer buffer_of_scratch(std::size_t index) {
  return static_cast<Buffer>(static_cast<std::size_t>(Buffer::scratch) + index);
}

/// "recv", "scratch 0".
std::string name_of(Buffer buffer);

/// `count` consecutive blocks of one buffer, from block `first`. No bytes here: sizes come from the call.
struct Blocks {
  Buffer buffer;
  int first;
  int count;
  bool operator==(const Blocks&) const = default;
};

constexpr Blocks at(Buffer buffer, int first, int count = 1) {
  return {buffer, first, count};
}
constexpr Blocks sendbuf(int first, int count = 1) {
  return at(Buffer::send, first, count);
}
constexpr Blocks recvbuf(int first, int count = 1) {
  return at(Buffer::recv, first, count);
}
/// No data: a message that only says "I am here".
constexpr Blocks nothing() {
  return at(Buffer::recv, 0, 0);
}

/// "recv blocks 2 to 4", "scratch 0 block 1".
std::string describe(Blocks blocks);

}  // namespace starling
