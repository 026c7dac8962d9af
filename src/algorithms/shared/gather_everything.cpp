#include "algorithms/shared/gather_everything.hpp"

#include "algorithms/part.hpp"

namespace starling {
namespace {

constexpr std::int64_t most_scratch_blocks = std::int64_t{1} << 20;
constexpr std::int64_t most_scratch_mebibytes = 256;

}  // namespace

Buffer gather_everything(Schedule& todo, const Team& team, std::string_view gather, int scale) {
  const Buffer all = todo.add_scratch(team.size * scale);
  todo.append(Part::named(Collective::allgather, gather).schedule({team.size, team.rank, 0, {team.size}}),
              {.send = {Buffer::send, 0, scale}, .recv = {all, 0, scale}});
  return all;
}

std::string gather_everything_refusal(const Situation& whole, std::string_view gather, std::int64_t scale,
                                      std::int64_t block_bytes) {
  if (std::string why = Part::named(Collective::allgather, gather).refusal(whole); !why.empty()) return why;
  const std::int64_t blocks = scale * whole.ranks;
  if (blocks > most_scratch_blocks) return "would gather more than a million blocks on every rank";
  if (block_bytes > most_scratch_mebibytes * 1024 * 1024 / blocks)
    return "would gather more than " + std::to_string(most_scratch_mebibytes) + " MiB on every rank";
  return {};
}

std::int64_t scratch_of_gather_everything(const Situation& whole, std::string_view gather, std::int64_t scale) {
  return scale * (whole.ranks + Part::named(Collective::allgather, gather).scratch_blocks(whole));
}

Schedule gather_then_pick(const Team& team, std::string_view gather) {
  Schedule todo(team.blocks());
  const Buffer all = gather_everything(todo, team, gather, team.size);
  for (int from = 0; from < team.size; ++from) todo.copy(at(all, (from * team.size) + team.rank), recvbuf(from));
  return todo;
}

std::string gather_then_pick_refusal(const Situation& situation, std::string_view gather) {
  return gather_everything_refusal(situation, gather, situation.ranks, situation.bytes);
}

std::int64_t scratch_of_gather_then_pick(const Situation& situation, std::string_view gather) {
  return scratch_of_gather_everything(situation, gather, situation.ranks);
}

}  // namespace starling
