#include "algorithms/shared/mesh.hpp"

#include "algorithms/part.hpp"

namespace starling {
namespace {

/// The smallest divisor of `ranks` that is at least its `dimensions`-th root and leaves a mesh for the others.
int longest_side(int ranks, int dimensions) {
  for (std::int64_t side = 2; side <= ranks / 2; ++side) {
    std::int64_t volume = 1;
    for (int i = 0; i < dimensions && volume < ranks; ++i) volume *= side;
    if (volume >= ranks && ranks % side == 0 && !mesh_shape(ranks / static_cast<int>(side), dimensions - 1).empty())
      return static_cast<int>(side);
  }
  return 0;
}

}  // namespace

std::vector<int> mesh_shape(int ranks, int dimensions) {
  if (ranks < 2) return {};
  if (dimensions == 1) return {ranks};
  const int side = longest_side(ranks, dimensions);
  if (side == 0) return {};
  std::vector<int> shape{side};
  for (const int length : mesh_shape(ranks / side, dimensions - 1)) shape.push_back(length);
  return shape;
}

std::string mesh_refusal(const Situation& situation, int dimensions) {
  if (!mesh_shape(situation.ranks, dimensions).empty()) return {};
  return "needs a number of ranks that is a product of " + std::string(dimensions == 2 ? "two" : "three");
}

Schedule mesh_allgather(const Team& team, int dimensions) {
  Schedule todo(team.blocks());
  Origin mine{Buffer::send};
  int stride = 1;
  for (const int length : mesh_shape(team.size, dimensions)) {
    const int place = team.rank / stride % length;
    const int first_block = team.rank / (stride * length) * (stride * length);
    todo.append(Part::named(Collective::allgatherv, "simple").schedule({length, place, 0, {length}}),
                {.send = mine,
                 .recv = {Buffer::recv, first_block, stride},
                 .ranks = RankSet::every(stride, team.rank - (place * stride), length)});
    stride *= length;
    mine = {Buffer::recv, first_block, stride};
  }
  return todo;
}

}  // namespace starling
