// scan:two_level: each node scans its ranks' data, the last ranks of the nodes, which have their nodes' sums, exscan
// these, and each broadcasts on its node what comes from the nodes before it.
//
//   nodes  0 1 2 | 3 4      rank 0   rank 1   rank 2   rank 3   rank 4      result; from the nodes before
//   on the nodes            0        01       012      3        34
//   last ranks                                012 ;             34 ; 012
//   on the nodes            0        01       012      3 ; 012  34 ; 012
//   combined                0        01       012      0123     01234
//
// In an exscan the nodes exscan, and their last ranks add their own data for the node's sum.

#include "algorithms/shared/two_level.hpp"

#include <array>
#include <cstdint>

#include "algorithms/algorithm.hpp"

namespace starling::scan {
namespace {

constexpr std::array scan_on_node{Collective::scan, Collective::bcast};
constexpr std::array exscan_on_node{Collective::exscan, Collective::bcast};
constexpr Hierarchy of_scan{scan_on_node, Collective::exscan};
constexpr Hierarchy of_exscan{exscan_on_node, Collective::exscan};
enum Parts : std::uint8_t { summed, spread, between };

const Hierarchy& hierarchy_of(Collective collective) {
  return collective == Collective::scan ? of_scan : of_exscan;
}

Schedule build(const Team& team, const Parameters& with) {
  const Hierarchy& hierarchy = hierarchy_of(team.collective);
  const TwoLevels levels(team);
  const Places& places = *team.places;
  const int blocks = team.blocks();
  const int ranks = levels.node().size();
  const int node = places.node_of(team.rank);
  const bool is_scan = team.collective == Collective::scan;
  const bool is_last = levels.place() == ranks - 1;
  Schedule todo(blocks);
  const Blocks own = sendbuf(0, blocks);
  const Blocks result = recvbuf(0, blocks);
  const auto whole = [&](Buffer buffer, Parts part) { return Origin{buffer, 0, team.scale_of(part)}; };

  // In an exscan its result takes the place of data in place: the node's sum needs them longer.
  Buffer sum = Buffer::recv;
  if (!is_scan && is_last) {
    sum = todo.add_scratch(blocks);
    todo.copy(own, at(sum, 0, blocks));
  }
  if (ranks > 1) {
    todo.append(hierarchy.on_node(with, summed).schedule(levels.within(team.blocks_of(summed))),
                {.send = whole(Buffer::send, summed), .recv = whole(Buffer::recv, summed), .ranks = levels.node()});
  } else if (is_scan) {
    todo.copy(own, result);
  }
  if (!is_scan && is_last && ranks > 1) todo.combine(result, at(sum, 0, blocks));

  const bool has_before = node > 0;
  const Buffer before = has_before ? todo.add_scratch(blocks) : Buffer::recv;
  if (is_last) {
    std::vector<int> lasts;
    for (int other = 0; other < places.nodes(); ++other)
      lasts.push_back(places.on_node(other).rank(places.on_node(other).size() - 1));
    todo.append(hierarchy.across(with).schedule(levels.across(team.blocks_of(between))),
                {.send = whole(sum, between),
                 .recv = whole(before, between),
                 .ranks = RankSet::of(lasts),
                 .sizes = whole(Buffer::recv, between)});
  }
  if (!has_before) return todo;
  if (ranks > 1) {
    Team on_node = levels.within(team.blocks_of(spread));
    on_node.root = ranks - 1;
    todo.append(hierarchy.on_node(with, spread).schedule(on_node),
                {.send = whole(before, spread), .recv = whole(before, spread), .ranks = levels.node()});
  }
  if (is_scan || levels.place() > 0) {
    todo.combine(at(before, 0, blocks), result);
  } else {
    todo.copy(at(before, 0, blocks), result);
  }
  return todo;
}

Division divide_as(const Situation& situation, const Parameters& with) {
  return hierarchy_of(situation.collective).division(situation, with);
}

std::string refuses(const Situation& situation, const Parameters& with) {
  if (std::string why = hierarchy_of(situation.collective).refusal(situation, with); !why.empty()) return why;
  return are_consecutive(*situation.places) ? "" : "needs consecutive ranks on each node";
}

std::int64_t scratch_blocks(const Situation& situation, const Parameters& with) {
  if (situation.places == nullptr) return 1;
  return (2 * std::int64_t{divide_as(situation, with).blocks}) +
         hierarchy_of(situation.collective).scratch(situation, with);
}

}  // namespace

Algorithm two_level() {
  return {
      .collectives = {Collective::scan, Collective::exscan},
      .name = "two_level",
      .says =
          "scans on each node, then the nodes' sums among their last ranks, and broadcasts on each node what comes "
          "before it",
      .source = "after Sanders and Träff 2006",
      .group = "two_level",
      .parameters = {inner_parameter<of_scan>({"recursive_doubling+binomial", "shared", "domains", "native"},
                                              "the scan and the bcast on a node"),
                     outer_parameter<of_scan>({"recursive_doubling", "pipeline", "native"},
                                              "the exscan of the nodes' sums")},
      .reduction_order = "two_level",
      .latency = "2 ceil(log2 q) alpha on a node of q ranks, and the exscan's among the nodes",
      .bandwidth = "2 ceil(log2 q) m beta on a node of q ranks, and the exscan's among the nodes",
      .divide = divide_as,
      .works_in_place = false,
      .refuses = refuses,
      .scratch_blocks = scratch_blocks,
      .shares_memory = shares_memory<of_scan>,
      .communicators = communicators<of_scan>,
      .build = build,
  };
}

}  // namespace starling::scan
