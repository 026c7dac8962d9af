#include "schedule/blocks.hpp"

namespace starling {

std::string name_of(Buffer buffer) {
  if (buffer == Buffer::send) return "send";
  if (buffer == Buffer::recv) return "recv";
  return "scratch " + std::to_string(scratch_index(buffer));
}

std::string describe(Blocks blocks) {
  if (blocks.count == 0) return "an empty message";
  std::string text = name_of(blocks.buffer);
  if (blocks.count == 1) return text + " block " + std::to_string(blocks.first);
  return text + " blocks " + std::to_string(blocks.first) + " to " + std::to_string(blocks.first + blocks.count - 1);
}

}  // namespace starling
