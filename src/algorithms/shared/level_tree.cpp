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

using Tree = TreePlace (*)(const Team&);

Tree tree_named(std::string_view name) {
  constexpr std::array<std::pair<std::string_view, Tree>, 3> trees{
      {{"binomial", binomial_tree}, {"chain", chain_tree}, {"sequential", sequential_tree}}};
  for (const auto& [its, tree] : trees)
    if (its == name) return tree;
  throw std::out_of_range("no tree is called " + std::string(name));
}

int depth_in(Tree tree, Team team) {
  int depth = 0;
  for (int parent = tree(team).parent; parent >= 0; parent = tree(team).parent) {
    team.rank = parent;
    ++depth;
  }
  return depth;
}

/// In all of these trees the first child has the longest way below it.
int height_of_tree(Tree tree, int ranks) {
  Team team{.size = ranks, .rank = 0};
  int height = 0;
  for (TreePlace place = tree(team); !place.children.empty(); place = tree(team)) {
    team.rank = place.children.front();
    ++height;
  }
  return height;
}

/// The tree of all ranks from a tree of the leaders and the tree of this rank's node. `most` is the height of the
/// latter on any node.
LevelPlace joined(const Team& team, Tree outer, const LevelPlace& inner, int most) {
  const TwoLevels levels(team);
  const Team across = levels.across(1);
  LevelPlace found{{}, depth_in(outer, across) + inner.depth, height_of_tree(outer, across.size) + most};
  const auto add = [&](const TreePlace& part, const RankSet& ranks) {
    if (part.parent >= 0) found.place.parent = ranks.rank(part.parent);
    for (const int child : part.children) found.place.children.push_back(ranks.rank(child));
  };
  if (levels.leads()) add(outer(across), levels.leaders());
  add(inner.place, levels.node());
  return found;
}

LevelPlace one_level(Tree tree, const Team& team) {
  return {tree(team), depth_in(tree, team), height_of_tree(tree, team.size)};
}

}  // namespace

LevelPlace level_tree(const Team& team, const Parameters& with, std::string_view in_memory) {
  const Tree outer = tree_named(with.text("outer"));
  const Tree inner = tree_named(inner_shares_memory(with) ? in_memory : with.text("inner"));
  const int most = height_of_tree(inner, team.places->spread().ranks_per_node);
  Team node = TwoLevels(team).within();
  if (!inner_has_domains(with)) return joined(team, outer, one_level(inner, node), most);
  node.places = &node.places->by_domain();
  return joined(team, outer, joined(node, inner, one_level(inner, TwoLevels(node).within()), most), 2 * most);
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
  return {inner_parameter("the tree of a node's ranks", {"binomial", "shared", "domains"}),
          outer_parameter({"chain", "binomial"}, "the tree of one rank of each node"),
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
