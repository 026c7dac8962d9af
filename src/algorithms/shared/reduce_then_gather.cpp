#include "algorithms/shared/reduce_then_gather.hpp"

#include "algorithms/part.hpp"

namespace starling {

Schedule reduce_then_gather(const Team& team, std::string_view reduce, std::string_view gather) {
  Schedule todo(team.blocks());
  todo.append(part(Collective::reduce_scatter, reduce, team),
              {.send = {Buffer::send}, .recv = {Buffer::recv, team.rank}, .sizes = Origin{Buffer::recv}});
  todo.append(part(Collective::allgatherv, gather, team), {.send = {Buffer::recv, team.rank}, .recv = {Buffer::recv}});
  return todo;
}

std::int64_t scratch_of_reduce_then_gather(const Situation& whole, std::string_view reduce, std::string_view gather) {
  return part_scratch_blocks(Collective::reduce_scatter, reduce, whole) +
         part_scratch_blocks(Collective::allgatherv, gather, whole);
}

}  // namespace starling
