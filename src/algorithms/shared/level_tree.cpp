#include "algorithms/shared/level_tree.hpp"

#include <algorithm>
#include <array>
#include <stdexcept>
#include <utility>
#include <vector>

#include "algorithms/shared/node_memory.hpp"
#include "algorithms/shared/pipeline.hpp"
#include "algorithms/shared/two_level.hpp"

namespace starling {
namespace {

struct Tree {
  std::string_view name;
  TreePlace (*place)(const Team&);
  int (*height)(int ranks);
};

Tree tree_named(std::string_view name) {
  constexpr std::array<Tree, 3> trees{
      {{"binomial", binomial_tree, [](int ranks) { return knomial_height(ranks, 2); }},
       {"chain", chain_tree, [](int ranks) { return ranks - 1; }},
       {"sequential", sequential_tree, [](int ranks) { return std::min(1, ranks - 1); }}}};
  for (const Tree& one : trees)
    if (one.name == name) return one;
  throw std::out_of_range("no tree is called " + std::string(name));
}

/// The tree of all ranks from a tree of the leaders and this rank's place in the tree of its node.
TreePlace joined(const Team& team, const Tree& outer, const TreePlace& inner) {
  const TwoLevels levels(team);
  TreePlace found;
  const auto add = [&](const TreePlace& part, const RankSet& ranks) {
    if (part.parent >= 0) found.parent = ranks.rank(part.parent);
    for (const int child : part.children) found.children.push_back(ranks.rank(child));
  };
  const TreePlace of_leader = outer.place(levels.across(1));
  if (levels.leads()) add(of_leader, levels.leaders());
  add(inner, levels.node());
  found.depth = of_leader.depth + inner.depth;
  return found;
}

}  // namespace

TreePlace level_tree(const Team& team, const Parameters& with, std::string_view in_memory) {
  const Tree outer = tree_named(with.text("outer"));
  const Tree inner = tree_named(inner_shares_memory(with) ? in_memory : with.text("inner"));
  Team node = TwoLevels(team).within();
  if (!inner_has_domains(with)) return joined(team, outer, inner.place(node));
  node.places = &node.places->by_domain();
  return joined(team, outer, joined(node, inner, inner.place(TwoLevels(node).within())));
}

int level_tree_height(const Team& team, const Parameters& with, std::string_view in_memory) {
  const Tree inner = tree_named(inner_shares_memory(with) ? in_memory : with.text("inner"));
  int most = 0;
  for (int node = 0; node < team.places->nodes(); ++node) most = std::max(most, team.places->ranks_on(node));
  const int levels = inner_has_domains(with) ? 2 : 1;
  return tree_named(with.text("outer")).height(team.places->nodes()) + (levels * inner.height(most));
}

Schedule within_nodes(Schedule by_messages, const Team& team, const Parameters& with) {
  if (!inner_shares_memory(with)) return by_messages;
  const Places& places = *team.places;
  const auto is_near = [&](const Transfer& one) { return places.node_of(one.peer) == places.node_of(team.rank); };
  Schedule todo(by_messages.blocks());
  for (const Scratch& one : by_messages.scratch()) todo.add_scratch(one.like);
  for (const Round& round : by_messages.rounds()) {
    Round far;
    Round near;
    for (const Transfer& one : round.receives())
      is_near(one) ? near.take(one.blocks, one.peer) : far.receive(one.blocks, one.peer);
    std::vector<int> readers;
    for (auto one = round.sends().begin(); one != round.sends().end(); ++one) {
      if (!is_near(*one)) {
        far.send(one->blocks, one->peer);
        continue;
      }
      readers.push_back(one->peer);
      const auto next = std::find_if(one + 1, round.sends().end(), is_near);
      if (next == round.sends().end() || next->blocks != one->blocks)
        near.publish(one->blocks, std::exchange(readers, {}));
    }
    Round& last = near.sharing() == nullptr ? far : near;
    last.local = round.local;
    if (!far.is_idle() || near.sharing() == nullptr) todo.round() = std::move(far);
    if (near.sharing() != nullptr) todo.round() = std::move(near);
  }
  return todo;
}

std::vector<Parameter> pipelined_levels_parameters() {
  return {level_parameter("inner", {"binomial", "shared", "domains"}, "the tree of a node's ranks"),
          level_parameter("outer", {"chain", "binomial"}, "the tree of one rank of each node"),
          {.name = "segment", .values = {"65536", "8192"}, .says = "bytes of a segment"}};
}

std::string pipelined_levels_refusal(const Situation& situation, const Parameters& with) {
  if (std::string why = two_level_refusal(situation); !why.empty()) return why;
  if (inner_has_domains(with) && !situation.places->has_domains()) return std::string(one_domain_refusal);
  if (inner_shares_memory(with))
    if (std::string why = node_memory_refusal(situation); !why.empty()) return why;
  return segment_refusal(situation, with);
}

}  // namespace starling
