// barrier:shared: as barrier:dissemination, by words in memory that the ranks of a node share.
//
//   k = 2    rank 0   rank 1   rank 2   rank 3   rank 4        ranks that it has heard from
//   step 1   04       01       12       23       34
//   step 2   0234     0134     0124     0123     1234
//   step 3   01234    01234    01234    01234    01234

#include "algorithms/algorithm.hpp"
#include "algorithms/shared/node_memory.hpp"
#include "algorithms/shared/radix.hpp"

namespace starling::barrier {
namespace {

Schedule build(const Team& team, const Parameters& with) {
  const std::int64_t radix = with.number("k");
  Schedule todo(team.blocks());
  for (std::int64_t heard = 1; heard < team.size; heard *= radix) {
    Round& round = todo.round();
    std::vector<int> told;
    for (std::int64_t i = 1; i < radix && i * heard < team.size; ++i) {
      const int distance = static_cast<int>(i * heard);
      told.push_back(team.right(distance));
      round.take(nothing(), team.left(distance));
    }
    round.publish(nothing(), told);
  }
  return todo;
}

std::string refuses(const Situation& situation, const Parameters& with) {
  if (std::string why = node_memory_refusal(situation); !why.empty()) return why;
  return radix_refusal(situation, with);
}

}  // namespace

Algorithm shared() {
  return {
      .collectives = {Collective::barrier},
      .name = "shared",
      .says = "spreads the word in memory that ranks of a node share, over distances that grow by the radix",
      .source = "Hensgen, Finkel and Manber 1988; Graham and Shipman 2008",
      .group = "shared",
      .needs = {.one_node = true},
      .parameters = {radix_parameter({"2", "4", "8"}, "radix: k-1 words at once in each of log_k p steps")},
      .latency = "ceil(log_k p) (k-1) alpha of shared memory",
      .bandwidth = "none",
      .refuses = refuses,
      .shares_memory = always_shares,
      .build = build,
  };
}

}  // namespace starling::barrier
