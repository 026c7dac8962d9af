#include "schedule/memory.hpp"

#include <algorithm>

namespace starling {
namespace {

/// Sizes of scratch: of no block of the call, and of the block that comes first.
constexpr int unlike_any = -1;
constexpr int to_be_learned = -2;

std::string room(int blocks) {
  if (blocks == 0) return "no blocks on this rank";
  return blocks == 1 ? "1 block" : std::to_string(blocks) + " blocks";
}

bool scatters(Collective collective) {
  return !rooted(collective) && traits_of(collective).recv == Holds::block;
}

bool gathers(Collective collective) {
  return !rooted(collective) && traits_of(collective).send == Holds::block;
}

}  // namespace

Memory::Memory(const Schedule& schedule, Collective collective, const Expectation& expected, const CheckedCall& facts,
               int rank, Symbols& symbols)
    : rank_(rank) {
  if (schedule.scratch().size() > most_scratch_buffers)
    throw Mistake{"has " + std::to_string(schedule.scratch().size()) + " scratch buffers, more than " +
                  std::to_string(most_scratch_buffers)};
  const auto add = [&](const std::vector<int>& sizes) {
    areas_.push_back({static_cast<int>(sizes_.size()), static_cast<int>(sizes.size())});
    sizes_.insert(sizes_.end(), sizes.begin(), sizes.end());
  };
  const bool shares =
      facts.in_place && has_in_place(collective) && !scatters(collective) && !expected.recv_sizes.empty();
  if (shares) {
    areas_.push_back({gathers(collective) ? rank * expected.parts : 0, static_cast<int>(expected.send.size())});
  } else {
    add(expected.send_sizes);
  }
  add(expected.recv_sizes);
  for (const Scratch& scratch : schedule.scratch()) {
    for (const int like : scratch.like)
      if (like < 0 || like >= facts.blocks)
        throw Mistake{"has scratch as large as block " + std::to_string(like) + ", which is none"};
    add(scratch.like);
    // No scratch is as large as the block of a pair of ranks.
    if (has_sizes_of_pairs(collective))
      std::fill(sizes_.end() - static_cast<std::ptrdiff_t>(scratch.like.size()), sizes_.end(),
                facts.learns_sizes ? to_be_learned : unlike_any);
  }
  if (facts.uniform)
    for (int& size : sizes_) size = size < 0 ? size : size % expected.parts;
  held_.resize(sizes_.size(), 0);
  read_.resize(sizes_.size(), 0);
  written_.resize(sizes_.size(), 0);
  result_covers_input_ = facts.in_place && scatters(collective);

  const auto fill = [&](Buffer buffer, const std::vector<Content>& contents) {
    for (std::size_t i = 0; i < contents.size(); ++i)
      if (contents[i].known())
        held_[slot(at(buffer, static_cast<int>(i)))] = symbols.data(contents[i].first, contents[i].block);
  };
  fill(Buffer::recv, expected.recv_before);
  fill(Buffer::send, expected.send);
}

std::size_t Memory::slot(Blocks blocks) const {
  const auto buffer = static_cast<std::size_t>(blocks.buffer);
  if (blocks.count == 0) return 0;
  if (buffer >= areas_.size()) throw Mistake{"touches " + describe(blocks) + ", and there is no such buffer"};
  const Area& area = areas_[buffer];
  if (blocks.first < 0 || blocks.count < 0 || blocks.first + blocks.count > area.count)
    throw Mistake{"touches " + describe(blocks) + ", but " + name_of(blocks.buffer) + " has " + room(area.count)};
  return static_cast<std::size_t>(area.first) + static_cast<std::size_t>(blocks.first);
}

void Memory::must_be_written(Blocks blocks) const {
  const std::size_t first = slot(blocks);
  for (int i = 0; i < blocks.count; ++i)
    if (held_[first + static_cast<std::size_t>(i)] == 0)
      throw Mistake{"reads " + describe(at(blocks.buffer, blocks.first + i)) + ", which was never written"};
}

void Memory::must_be_writable(Blocks blocks) {
  if (blocks.buffer == Buffer::send && blocks.count > 0)
    throw Mistake{"writes " + describe(blocks) + ", which belongs to the caller"};
}

void Memory::read_in_round(Blocks blocks) {
  must_be_written(blocks);
  const std::size_t first = slot(blocks);
  const bool of_input = result_covers_input_ && blocks.buffer == Buffer::send && blocks.count > 0;
  for (std::size_t i = first; i < first + static_cast<std::size_t>(blocks.count); ++i) {
    if (written_[i] == round_ || (of_input && result_written_ == round_))
      throw Mistake{"sends " + describe(blocks) + " while it receives into it"};
    read_[i] = round_;
  }
  if (of_input) input_read_ = round_;
}

void Memory::write_in_round(Blocks blocks) {
  must_be_writable(blocks);
  const std::size_t first = slot(blocks);
  const bool of_result = result_covers_input_ && blocks.buffer == Buffer::recv && blocks.count > 0;
  for (std::size_t i = first; i < first + static_cast<std::size_t>(blocks.count); ++i) {
    if (read_[i] == round_ || (of_result && input_read_ == round_))
      throw Mistake{"receives into " + describe(blocks) + " while it sends from it"};
    if (written_[i] == round_) throw Mistake{"receives into " + describe(blocks) + " twice in one round"};
    written_[i] = round_;
  }
  if (of_result) result_written_ = round_;
}

void Memory::change_in_round(Blocks blocks) {
  must_be_writable(blocks);
  const std::size_t first = slot(blocks);
  const bool of_result = result_covers_input_ && blocks.buffer == Buffer::recv && blocks.count > 0;
  for (std::size_t i = first; i < first + static_cast<std::size_t>(blocks.count); ++i) {
    if (read_[i] == round_ || (of_result && input_read_ == round_))
      throw Mistake{"takes into " + describe(blocks) + " while it publishes it"};
    written_[i] = round_;
  }
  if (of_result) result_written_ = round_;
}

std::span<const Symbol> Memory::values(Blocks blocks) const {
  return {held_.data() + slot(blocks), static_cast<std::size_t>(blocks.count)};
}

std::span<const int> Memory::sizes(Blocks blocks) const {
  return {sizes_.data() + slot(blocks), static_cast<std::size_t>(blocks.count)};
}

void Memory::write(Blocks blocks, std::span<const Symbol> values) {
  std::copy(values.begin(), values.end(), held_.begin() + static_cast<std::ptrdiff_t>(slot(blocks)));
  if (result_covers_input_ && blocks.buffer == Buffer::recv && blocks.count > 0) {
    const Area& input = areas_[static_cast<std::size_t>(Buffer::send)];
    std::fill_n(held_.begin() + input.first, input.count, 0);
  }
}

bool Memory::fit(Blocks blocks, std::span<const int> sizes) {
  int* mine = sizes_.data() + slot(blocks);
  for (const int size : sizes) {
    if (*mine == to_be_learned) *mine = size;
    if (*mine++ != size) return false;
  }
  return true;
}

bool Memory::in_clobbered(Blocks send, Blocks recv) const {
  return result_covers_input_ && send.buffer == Buffer::send && recv.buffer == Buffer::recv;
}

bool Memory::overlap(Blocks a, Blocks b) const {
  if (a.count == 0 || b.count == 0) return false;
  if (in_clobbered(a, b) || in_clobbered(b, a)) return true;
  const std::size_t first_a = slot(a);
  const std::size_t first_b = slot(b);
  return first_a < first_b + static_cast<std::size_t>(b.count) && first_b < first_a + static_cast<std::size_t>(a.count);
}

bool Memory::same(Blocks a, Blocks b) const {
  if (a.count != b.count) return false;
  // On rank 0 the result has the place of block 0 of the input.
  if (in_clobbered(a, b)) return rank_ == 0 && a.first == 0 && a.count == 1;
  return slot(a) == slot(b);
}

}  // namespace starling
