// barrier:two_level: the ranks of each node tell its first one, these leaders meet in a dissemination, and each tells
// the ranks of its node.
//
//   nodes  0 1 2 | 3 4      1 and 2 tell 0, and 4 tells 3; 0 and 3 meet; 0 tells 1 and 2, and 3 tells 4

#include "algorithms/shared/two_level.hpp"

#include "algorithms/algorithm.hpp"
#include "algorithms/candidate.hpp"
#include "algorithms/shared/node_memory.hpp"

namespace starling::barrier {
namespace {

Schedule build(const Team& team, const Parameters& with) {
  const TwoLevels levels(team);
  const bool shares = inner_shares_memory(with);
  Schedule todo(team.blocks());
  const RankSet& node = levels.node();
  const auto hear_from = [&](Round& round, int rank) {
    shares ? round.take(nothing(), rank) : round.receive(nothing(), rank);
  };
  const auto tell = [&](Round& round, const std::vector<int>& ranks) {
    if (shares) round.publish(nothing(), ranks);
    for (const int rank : ranks)
      if (!shares) round.send(nothing(), rank);
  };
  if (!levels.leads()) {
    tell(todo.round(), {node.rank(0)});
    hear_from(todo.round(), node.rank(0));
    return todo;
  }
  std::vector<int> others;
  for (int place = 1; place < node.size(); ++place) others.push_back(node.rank(place));
  if (!others.empty()) {
    Round& all_came = todo.round();
    for (const int rank : others) hear_from(all_came, rank);
  }
  todo.append(part(Collective::barrier, "dissemination", levels.across(1)),
              {.send = {Buffer::send}, .recv = {Buffer::recv}, .ranks = levels.leaders()});
  if (!others.empty()) tell(todo.round(), others);
  return todo;
}

std::string refuses(const Situation& situation, const Parameters& with) {
  if (std::string why = two_level_refusal(situation); !why.empty() || !inner_shares_memory(with)) return why;
  return node_memory_refusal(situation);
}

}  // namespace

Algorithm two_level() {
  return {
      .collectives = {Collective::barrier},
      .name = "two_level",
      .says =
          "waits on each node for all of its ranks, runs a barrier among one rank of each node, then releases the "
          "others",
      .source = "Graham and Shipman 2008",
      .group = "two_level",
      .parameters = {{.name = "inner",
                      .values = {"sequential", "shared"},
                      .says = "how the first rank of a node waits for the others and releases them"}},
      .latency = "2 alpha on a node, ceil(log2 n) alpha among n nodes",
      .bandwidth = "none",
      .refuses = refuses,
      .shares_memory = inner_shares_memory,
      .build = build,
  };
}

}  // namespace starling::barrier
