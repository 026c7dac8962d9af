#include "algorithms/shared/tree_sum.hpp"

#include <algorithm>
#include <functional>
#include <utility>

#include "algorithms/shared/pipeline.hpp"

namespace starling {

TreeSum::TreeSum(Schedule& todo, const Team& team, const TreePlace& place, Buffer sum)
    : parent_(place.parent), sum_(sum), other_(sum) {
  for (const int child : place.children) (child > team.rank ? above_ : below_).push_back(child);
  std::sort(above_.begin(), above_.end());
  std::sort(below_.begin(), below_.end(), std::greater<>());
  if (place.children.size() > 1 || !below_.empty()) other_ = todo.add_scratch(team.blocks());
}

void TreeSum::receive(Schedule& todo, Round& round, int block) const {
  // A sum lands where its right operand was, so the two buffers take turns; they start so that the last is `sum_`.
  Buffer into = above_.size() % 2 == 0 ? other_ : sum_;
  Buffer from = Buffer::send;
  Round* now = &round;
  const auto receive_from = [&](int child, Buffer buffer) -> Round& {
    if (now == nullptr) now = &todo.round();
    return std::exchange(now, nullptr)->receive(at(buffer, block), child);
  };
  for (const int child : above_) {
    receive_from(child, into).combine(at(from, block), at(into, block));
    from = std::exchange(into, into == sum_ ? other_ : sum_);
  }
  if (above_.empty()) round.copy(sendbuf(block), at(sum_, block));
  for (const int child : below_) receive_from(child, other_).combine(at(other_, block), at(sum_, block));
}

void TreeSum::send(Round& round, int block) const {
  round.send(at(above_.empty() && below_.empty() ? Buffer::send : sum_, block), parent_);
}

Schedule pipelined_up(const Team& team, const TreePlace& place) {
  Schedule todo(team.blocks());
  const bool is_root = place.parent < 0;
  const bool receives = is_root || !place.children.empty();
  const Buffer sum = is_root || !receives ? Buffer::recv : todo.add_scratch(team.blocks());
  const TreeSum tree(todo, team, place, sum);
  for (int step = 0; step <= team.blocks(); ++step) {
    const bool sends = !is_root && step > 0;
    const bool more = receives && step < team.blocks();
    if (!sends && !more) continue;
    Round& round = todo.round();
    if (sends) tree.send(round, step - 1);
    if (more) tree.receive(todo, round, step);
  }
  return todo;
}

std::int64_t scratch_of_pipelined_up(const Situation& situation, const Parameters& with) {
  return std::int64_t{std::min(situation.ranks - 1, 2)} * segments(situation, with).blocks;
}

}  // namespace starling
