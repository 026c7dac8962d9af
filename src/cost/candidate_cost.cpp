#include "cost/candidate_cost.hpp"

#include <vector>

namespace starling {
namespace {

Prediction of_blocks(const Bound& bound, const Situation& situation, int root, const Network& network,
                     const CostParameters& parameters, std::int64_t most_visits) {
  if (std::string why = bound.refusal(situation); !why.empty()) return {.seconds = 0, .refusal = std::move(why)};
  const std::int64_t total =
      divides_a_vector(situation.collective) ? situation.bytes : situation.ranks * situation.bytes;
  const int blocks = bound.blocks(situation);
  const Layout layout(blocks, total, parts_of_a_block(situation.collective, situation.ranks, blocks));
  std::vector<Program> programs;
  programs.reserve(static_cast<std::size_t>(situation.ranks));
  std::int64_t messages = 0;
  for (int rank = 0; rank < situation.ranks; ++rank) {
    const Schedule schedule = bound.schedule(bound.team(situation, rank, root));
    programs.push_back(bind(schedule, layout, layout, situation.collective, rank));
    messages += messages_in(programs.back());
    if (messages / 2 > most_messages) break;  // which is refused; without the others' memory
  }
  return predict(programs, network, parameters, most_visits);
}

}  // namespace

Prediction predict(const Bound& bound, const Situation& situation, int root, const Network& network,
                   const CostParameters& parameters, std::int64_t most_visits) {
  Prediction found = of_blocks(bound, situation, root, network, parameters, most_visits);
  if (!bound.learns_sizes() || !found.refusal.empty()) return found;
  const Bound telling = bound.tells_sizes();
  Situation sizes = situation;
  sizes.collective = telling.collective;
  sizes.bytes = sizes.elements =
      divides_a_vector(telling.collective) ? situation.ranks * Bound::size_bytes : Bound::size_bytes;
  found.seconds += of_blocks(telling, sizes, root, network, parameters, most_visits).seconds;
  return found;
}

}  // namespace starling
