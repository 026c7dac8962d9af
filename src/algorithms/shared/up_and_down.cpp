#include "algorithms/shared/up_and_down.hpp"

#include "algorithms/shared/tree_sum.hpp"

namespace starling {

Schedule up_and_down(const Team& team, const TreePlace& up, int height, const TreePlace& down) {
  Schedule todo(team.blocks());
  const TreeSum sum(todo, team, up, Buffer::recv);
  if (team.size == 1) todo.copy(sendbuf(0, team.blocks()), recvbuf(0, team.blocks()));
  const bool is_root = up.parent < 0;

  // A message has the same time on both sides: whoever has done the time before waits only for what comes from below.
  const int last = team.blocks() + height + down.depth;
  for (int time = 0; time <= last; ++time) {
    const auto is_block = [&](int block) { return block >= 0 && block < team.blocks(); };
    const int sum_leaves = time - (height - up.depth);
    const int sum_arrives = sum_leaves + 1;
    const int result_leaves = time - (height + down.depth);
    const int result_arrives = result_leaves + 1;
    const bool sends_up = !is_root && is_block(sum_leaves);
    const bool receives_up = !up.children.empty() && is_block(sum_arrives);
    const bool sends_down = !down.children.empty() && is_block(result_leaves);
    const bool receives_down = !is_root && is_block(result_arrives);
    if (!sends_up && !receives_up && !sends_down && !receives_down) continue;
    Round& round = todo.round();
    if (receives_down) round.receive(recvbuf(result_arrives), down.parent);
    if (sends_up) sum.send(round, sum_leaves);
    if (sends_down)
      for (const int child : down.children) round.send(recvbuf(result_leaves), child);
    if (receives_up) sum.receive(todo, round, sum_arrives);
  }
  return todo;
}

}  // namespace starling
