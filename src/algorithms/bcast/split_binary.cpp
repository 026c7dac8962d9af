// bcast:split_binary: the root sends one half of the vector down one half of the ranks and the other half down the
// other, each a binary tree; in the end the halves are exchanged in pairs.
//
//              0                ranks counted from the root; segments of half A to 1, 2, 3, those of half B to 4, 5, 6
//          .---'---.
//        1 (A)   4 (B)          then 1 <-> 4, 2 <-> 5, 3 <-> 6 exchange A and B
//        /  \    /  \           one rank without a partner gets the other half from the root
//       2    3  5    6

#include "algorithms/algorithm.hpp"
#include "algorithms/shared/pipeline.hpp"

namespace starling::bcast {
namespace {

/// Binary tree over the ranks `first`, ..., `first` + `count` - 1 below the root, all counted from the root.
TreePlace place_below_root(const Team& team, int first, int count) {
  const int me = team.relative() - first;
  TreePlace place;
  place.parent = me == 0 ? team.root : team.absolute(first + ((me - 1) / 2));
  for (const int child : {(2 * me) + 1, (2 * me) + 2})
    if (child < count) place.children.push_back(team.absolute(first + child));
  return place;
}

Schedule build(const Team& team, const Parameters& /*segments are blocks*/) {
  Schedule todo(team.blocks());
  const int half = team.blocks() / 2;
  const int others = team.size - 1;
  const int left = (others + 1) / 2;  // ranks 1, ..., left get the first half first
  const int right = others - left;
  const int me = team.relative();
  if (me == 0) {
    for (int segment = 0; segment < half && others > 0; ++segment) {
      Round& round = todo.round();
      round.send(recvbuf(segment), team.absolute(1));
      if (right > 0) round.send(recvbuf(half + segment), team.absolute(left + 1));
    }
    if (left > right) todo.round().send(recvbuf(half, half), team.absolute(left));
    return todo;
  }
  const bool is_left = me <= left;
  const TreePlace place = is_left ? place_below_root(team, 1, left) : place_below_root(team, left + 1, right);
  todo.append(pipelined_down({team.size, team.rank, team.root, {half}}, place),
              {.send = {Buffer::send}, .recv = {Buffer::recv, is_left ? 0 : half}});
  Round& exchange = todo.round();
  if (is_left && me > right) {
    exchange.receive(recvbuf(half, half), team.root);
  } else {
    const int partner = team.absolute(is_left ? me + left : me - left);
    exchange.receive(recvbuf(is_left ? half : 0, half), partner);
    exchange.send(recvbuf(is_left ? 0 : half, half), partner);
  }
  return todo;
}

/// What a half is to `segments` and its like.
Situation half_of(const Situation& whole) {
  Situation half = whole;
  half.bytes = (whole.bytes + 1) / 2;
  return half;
}

Division divide(const Situation& situation, const Parameters& with) {
  return {2 * segments(half_of(situation), with).blocks};
}

std::string refuses(const Situation& situation, const Parameters& with) {
  return segment_refusal(half_of(situation), with);
}

}  // namespace

Algorithm split_binary() {
  return {
      .collectives = {Collective::bcast},
      .name = "split_binary",
      .says = "sends two halves down two binary trees, then exchanges them in pairs",
      .source = "Pjesivac-Grbovic et al. 2007",
      .group = "split_binary",
      .parameters = {coarse_segment_parameter()},
      .counterparts = {{.ompi = "split_binary_tree"}},
      .latency = "2 log2(p) alpha; 2 alpha more for every further segment",
      .bandwidth = "log2(p) m beta; 1.5 m beta with many segments",
      .divide = divide,
      .refuses = refuses,
      .build = build,
  };
}

}  // namespace starling::bcast
