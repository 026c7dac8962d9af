#include "algorithms/shared/reduce_then_gather.hpp"

#include "algorithms/part.hpp"

namespace starling {

Schedule reduce_then_gather(const Team& team, std::string_view reduce, std::string_view gather) {
  Schedule todo(team.blocks());
  todo.append(Part::named(Collective::reduce_scatter, reduce).schedule(team),
              {.send = {Buffer::send}, .recv = {Buffer::recv, team.rank}, .sizes = Origin{Buffer::recv}});
  todo.append(Part::named(Collective::allgatherv, gather).schedule(team),
              {.send = {Buffer::recv, team.rank}, .recv = {Buffer::recv}});
  return todo;
}

std::int64_t scratch_of_reduce_then_gather(const Situation& whole, std::string_view reduce, std::string_view gather) {
  return Part::named(Collective::reduce_scatter, reduce).scratch_blocks(whole) +
         Part::named(Collective::allgatherv, gather).scratch_blocks(whole);
}

}  // namespace starling
