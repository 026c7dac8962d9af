#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "algorithms/algorithm.hpp"
#include "algorithms/part.hpp"

namespace starling {

/// One rank's place between the ranks of its node and the leaders of all nodes. These stand where the root stands on
/// its node: each rank is then in two groups, its node and its lane, whoever is root. On nodes with different numbers
/// of ranks they are the lowest ranks, but the root on its own.
class TwoLevels {
 public:
  /// For a team that knows its places.
  explicit TwoLevels(const Team& team);

  /// The ranks of this rank's node.
  [[nodiscard]] const RankSet& node() const { return node_; }
  /// One rank of each node.
  [[nodiscard]] const RankSet& leaders() const { return leaders_; }
  /// The ranks that stand on their nodes where this one stands; of one that is among the first lanes_of() on its
  /// node.
  [[nodiscard]] RankSet lane() const;
  [[nodiscard]] bool leads() const { return leads_; }
  /// How many ranks of this node stand before this one.
  [[nodiscard]] int place() const { return places_.position(rank_); }
  /// This rank among the ranks of its node, whose domains are its places; the root is its leader; `blocks` of the part.
  [[nodiscard]] Team within(int blocks = 1) const;
  /// This rank's node among all of them, the root being that of the root.
  [[nodiscard]] Team across(int blocks) const;

 private:
  const Places& places_;
  int rank_;
  RankSet node_;
  RankSet leaders_;
  bool leads_;
  int leader_place_;
  int root_node_;
};

/// What a hierarchy is made of: collectives on each node, whose ways the parameter `inner` names in that order ("a+b",
/// or one way for all), and one between nodes, whose way `outer` names.
struct Hierarchy {
  std::span<const Collective> inner;
  Collective outer;
  /// That between nodes is one for each lane.
  bool has_lanes = false;

  /// The part on a node that stands at `place` among them.
  [[nodiscard]] Part on_node(const Parameters& with, std::size_t place = 0) const;
  [[nodiscard]] Part across(const Parameters& with) const;
  /// Why ranks do not stand on two levels, or the parts cannot serve there; empty if they can.
  [[nodiscard]] std::string refusal(const Situation& whole, const Parameters& with) const;
  /// How the vector of the whole is divided, so that each part finds its own blocks; Division::of_parts in the order of
  /// the parts, that between nodes last.
  [[nodiscard]] Division division(const Situation& whole, const Parameters& with) const;
  /// Blocks of scratch, of the part's own, that the part on a node uses at most.
  [[nodiscard]] std::int64_t inner_scratch(const Situation& whole, const Parameters& with, std::size_t place = 0) const;
  /// The same of the part between nodes.
  [[nodiscard]] std::int64_t outer_scratch(const Situation& whole, const Parameters& with) const;
  /// The same of all parts of a vector, in blocks of the whole.
  [[nodiscard]] std::int64_t scratch(const Situation& whole, const Parameters& with) const;
  /// Whether some part has its ranks meet in memory that they share.
  [[nodiscard]] bool shares_memory(const Parameters& with) const;
  /// Communicators that a rank needs for all parts at most.
  [[nodiscard]] int communicators(const Parameters& with) const;
  /// Whether a text names ways for the parts on nodes.
  [[nodiscard]] bool takes_inner(std::string_view text) const;
  /// Whether a text names a way for the part between nodes.
  [[nodiscard]] bool takes_outer(std::string_view text) const;

 private:
  /// The situation of the part between nodes. In lanes each has a share of a vector.
  [[nodiscard]] Situation between_nodes(const Situation& whole) const;
};

/// A parameter for one level of a hierarchy.
Parameter level_parameter(std::string_view name, std::vector<std::string_view> values, std::string_view says);

/// The same for a level whose ways `takes` knows: those values are worth trying, but it takes every way. Where not all
/// ranks know how large blocks are, those are tried which `of_unknown_sizes` takes.
template <const Hierarchy& of, const Hierarchy& of_unknown_sizes, bool (Hierarchy::*takes)(std::string_view) const>
Parameter level_parameter(std::string_view name, std::vector<std::string_view> values, std::string_view says) {
  Parameter found = level_parameter(name, std::move(values), says);
  found.accepts = [](std::string_view text, int /*ranks*/) { return (of.*takes)(text); };
  found.serves = [](std::string_view text, Collective collective) {
    return all_know_sizes(collective) || (of_unknown_sizes.*takes)(text);
  };
  return found;
}

/// The parameter `inner` of a hierarchy.
template <const Hierarchy& of, const Hierarchy& of_unknown_sizes = of>
Parameter inner_parameter(std::vector<std::string_view> values, std::string_view says) {
  return level_parameter<of, of_unknown_sizes, &Hierarchy::takes_inner>("inner", std::move(values), says);
}

/// The parameter `outer`.
template <const Hierarchy& of, const Hierarchy& of_unknown_sizes = of>
Parameter outer_parameter(std::vector<std::string_view> values, std::string_view says) {
  return level_parameter<of, of_unknown_sizes, &Hierarchy::takes_outer>("outer", std::move(values), says);
}

/// `Algorithm::shares_memory` of a hierarchy.
template <const Hierarchy& of>
bool shares_memory(const Parameters& with) {
  return of.shares_memory(with);
}

/// `Algorithm::communicators` of a hierarchy.
template <const Hierarchy& of>
int communicators(const Parameters& with) {
  return of.communicators(with);
}

/// `Algorithm::divide` of a hierarchy for a vector.
template <const Hierarchy& of>
Division divide(const Situation& situation, const Parameters& with) {
  return of.division(situation, with);
}

/// Why a node cannot be two levels where none is more than one domain.
inline constexpr std::string_view one_domain_refusal = "each node is one NUMA domain, as far as is known";
/// Whether `inner` says that ranks of a node meet in memory that they share.
bool inner_shares_memory(const Parameters& with);
/// Whether `inner` says that a node is two levels itself.
bool inner_has_domains(const Parameters& with);

/// Why ranks do not stand on two levels; empty if they do.
std::string two_level_refusal(const Situation& whole);
/// Whether the ranks of each node are consecutive.
bool are_consecutive(const Places& places);
/// The ranks of a set, in its order.
std::vector<int> listed(const RankSet& ranks);
/// All ranks, node after node.
std::vector<int> by_node(const Places& places);
/// Where the ranks of each node start among `by_node`, and their end.
std::vector<int> starts_of_nodes(const Places& places);

/// Where a part between nodes has a block for each node: all blocks of the ranks there, node after node from `first`
/// on.
Origin of_all_nodes(Origin first, const Places& places);
/// Where it has this node's alone.
Origin of_one_node(Origin first, int ranks);

/// `Algorithm::refuses` of a hierarchy.
template <const Hierarchy& of>
std::string refuses(const Situation& situation, const Parameters& with) {
  return of.refusal(situation, with);
}

/// The situation of a part in which one rank of each node takes part, with `share` of a vector's elements, 1/share.
Situation across_nodes(Collective collective, const Situation& whole, int share = 1);

}  // namespace starling
