// barrier:dissemination: in each step every rank tells the rank k times as far to its right as before that it has come
// (and k-1 multiples of that distance at once), and waits for word from its left.
//
//   k = 2    rank 0   rank 1   rank 2   rank 3   rank 4        ranks that it has heard from
//   step 1   04       01       12       23       34
//   step 2   0234     0134     0124     0123     1234
//   step 3   01234    01234    01234    01234    01234

#include "algorithms/algorithm.hpp"
#include "algorithms/shared/radix.hpp"

namespace starling::barrier {
namespace {

Schedule build(const Team& team, const Parameters& with) {
  const std::int64_t radix = with.number("k");
  Schedule todo(team.blocks());
  for (std::int64_t heard = 1; heard < team.size; heard *= radix) {
    Round& round = todo.round();
    for (std::int64_t i = 1; i < radix && i * heard < team.size; ++i) {
      const int distance = static_cast<int>(i * heard);
      round.receive(nothing(), team.left(distance)).send(nothing(), team.right(distance));
    }
  }
  return todo;
}

}  // namespace

Algorithm dissemination() {
  return {
      .collectives = {Collective::barrier},
      .name = "dissemination",
      .says = "spreads the word over distances that grow by the radix",
      .source = "Hensgen, Finkel and Manber 1988",
      .group = "logarithmic",
      .parameters = {radix_parameter({"2", "4", "8", "16"}, "radix: k-1 messages at once in each of log_k p steps")},
      .counterparts = {{.ompi = "bruck", .mpich = "dissemination", .with = "k=2"},
                       {.mpich = "k_dissemination", .ucc = "knomial"}},
      .latency = "ceil(log_k p) (k-1) alpha",
      .bandwidth = "none",
      .refuses = radix_refusal,
      .build = build,
  };
}

}  // namespace starling::barrier
