// barrier:two_level: the ranks of each node tell its first one, these leaders meet in a dissemination, and each tells
// the ranks of its node.
//
//   nodes  0 1 2 | 3 4      1 and 2 tell 0, and 4 tells 3; 0 and 3 meet; 0 tells 1 and 2, and 3 tells 4

#include "algorithms/shared/two_level.hpp"

#include "algorithms/algorithm.hpp"
#include "algorithms/candidate.hpp"

namespace starling::barrier {
namespace {

Schedule build(const Team& team, const Parameters& /*none*/) {
  const TwoLevels levels(team);
  Schedule todo(team.blocks());
  const RankSet& node = levels.node();
  if (!levels.leads()) {
    todo.round().send(nothing(), node.rank(0));
    todo.round().receive(nothing(), node.rank(0));
    return todo;
  }
  if (node.size() > 1) {
    Round& all_came = todo.round();
    for (int place = 1; place < node.size(); ++place) all_came.receive(nothing(), node.rank(place));
  }
  todo.append(part(Collective::barrier, "dissemination", levels.across(1)),
              {.send = {Buffer::send}, .recv = {Buffer::recv}, .ranks = levels.leaders()});
  if (node.size() > 1) {
    Round& go = todo.round();
    for (int place = 1; place < node.size(); ++place) go.send(nothing(), node.rank(place));
  }
  return todo;
}

std::string refuses(const Situation& situation, const Parameters& /*none*/) {
  return two_level_refusal(situation);
}

}  // namespace

Algorithm two_level() {
  return {
      .collectives = {Collective::barrier},
      .name = "two_level",
      .says = "lets one rank of each node meet when all of its node have come, and tell them then",
      .source = "Graham and Shipman 2008",
      .group = "two_level",
      .latency = "2 alpha on a node, ceil(log2 n) alpha among n nodes",
      .bandwidth = "none",
      .refuses = refuses,
      .build = build,
  };
}

}  // namespace starling::barrier
