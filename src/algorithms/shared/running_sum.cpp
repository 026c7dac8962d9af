#include "algorithms/shared/running_sum.hpp"

namespace starling {

Buffer RunningSum::scratch(std::optional<Buffer>& which) {
  if (!which) which = todo_->add_scratch(todo_->blocks());
  return *which;
}

void RunningSum::exchange(int rank, int peer, std::span<const Blocks> give, std::span<const Blocks> keep) {
  const Buffer arrived = scratch(buffer_ == first_ ? second_ : first_);
  Round& round = todo_->round();
  for (const Blocks& range : keep) round.receive(at(arrived, range.first, range.count), peer);
  for (const Blocks& range : give) round.send(now(range), peer);
  if (peer > rank) {
    for (const Blocks& range : keep) round.combine(now(range), at(arrived, range.first, range.count));
    buffer_ = arrived;
    return;
  }
  if (buffer_ == Buffer::send) {
    const Buffer own = scratch(second_);
    for (const Blocks& range : keep) round.copy(now(range), at(own, range.first, range.count));
    buffer_ = own;
  }
  for (const Blocks& range : keep) round.combine(at(arrived, range.first, range.count), now(range));
}

}  // namespace starling
