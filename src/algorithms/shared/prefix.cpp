#include "algorithms/shared/prefix.hpp"

#include <utility>

namespace starling {

Schedule prefix_by_recursive_doubling(const Team& team, Prefix prefix) {
  const int all = team.blocks;
  const Blocks result = recvbuf(0, all);
  Schedule todo(all);
  bool has_result = prefix == Prefix::inclusive;
  if (team.size > 1) {
    Blocks group = at(todo.add_scratch(all), 0, all);
    Blocks arrived = at(todo.add_scratch(all), 0, all);
    todo.copy(sendbuf(0, all), group);
    if (has_result) todo.copy(sendbuf(0, all), result);
    for (int distance = 1; distance < team.size; distance *= 2) {
      const int peer = team.rank ^ distance;
      if (peer >= team.size) continue;
      Round& round = todo.round();
      round.receive(arrived, peer).send(group, peer);
      if (peer > team.rank) {
        round.combine(group, arrived);
        std::swap(group, arrived);
        continue;
      }
      if (has_result) {
        round.combine(arrived, result);
      } else {
        round.copy(arrived, result);
      }
      has_result = true;
      round.combine(arrived, group);
    }
  } else if (has_result) {
    todo.copy(sendbuf(0, all), result);
  }
  return todo;
}

Schedule prefix_along_chain(const Team& team, Prefix prefix) {
  const int all = team.blocks;
  const bool inclusive = prefix == Prefix::inclusive;
  const bool receives = team.rank > 0;
  const bool sends = team.rank + 1 < team.size;
  Schedule todo(all);
  // What goes on to the right counts my own data; it is the right operand of what comes in.
  Buffer own = inclusive ? Buffer::recv : Buffer::send;
  if (!inclusive && receives && sends) own = todo.add_scratch(all);
  const Buffer arriving = inclusive && receives ? todo.add_scratch(all) : Buffer::recv;
  if (own != Buffer::send) todo.copy(sendbuf(0, all), at(own, 0, all));
  for (int step = 0; step <= all; ++step) {
    const bool more = receives && step < all;
    const bool passes_on = sends && step > 0;
    if (!more && !passes_on) continue;
    Round& round = todo.round();
    if (passes_on) round.send(at(own, step - 1), team.rank + 1);
    if (!more) continue;
    round.receive(at(arriving, step), team.rank - 1);
    if (own != Buffer::send) round.combine(at(arriving, step), at(own, step));
  }
  return todo;
}

}  // namespace starling
