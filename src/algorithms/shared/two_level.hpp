#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "algorithms/algorithm.hpp"

namespace starling {

/// One rank's place between the ranks of its node and the leaders of all nodes: the lowest rank of each node, but the
/// root on its own.
class TwoLevels {
 public:
  /// For a team that knows its places.
  explicit TwoLevels(const Team& team);

  /// The ranks of this rank's node.
  [[nodiscard]] const RankSet& node() const { return node_; }
  /// One rank of each node.
  [[nodiscard]] const RankSet& leaders() const { return leaders_; }
  /// The ranks that stand on their nodes where this one stands; of nodes with equally many ranks.
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

/// The parameter `inner`: what ranks of one node do, of several ways by messages, by memory that they share, and by the
/// same on two levels, domains and the node.
Parameter inner_parameter(std::string_view says,
                          std::vector<std::string> values = {"binomial", "sequential", "shared", "domains"});
/// Why a node cannot be two levels where none is more than one domain.
inline constexpr std::string_view one_domain_refusal = "each node is one NUMA domain, as far as is known";
/// Why `collective` cannot be done so on the nodes; empty if it can.
std::string inner_refusal(Collective collective, const Situation& whole, const Parameters& with);
/// Blocks of scratch that the part on a node uses at most.
std::int64_t inner_scratch_blocks(Collective collective, const Situation& whole, const Parameters& with);
/// Whether `inner` says that ranks of a node meet in memory that they share.
bool inner_shares_memory(const Parameters& with);
/// Whether `inner` says that a node is two levels itself.
bool inner_has_domains(const Parameters& with);
/// The parameter `outer`: what leaders do among each other.
Parameter outer_parameter(std::vector<std::string> values, std::string_view says);
/// Why leaders cannot do `collective` so; empty if they can. Those of the domains of one node may share memory.
std::string outer_refusal(Collective collective, const Situation& whole, const Parameters& with);

/// Why ranks do not stand on two levels; empty if they do.
std::string two_level_refusal(const Situation& whole);
/// The same where all nodes must have equally many ranks.
std::string even_nodes_refusal(const Situation& whole);
/// Whether the ranks of each node are consecutive.
bool are_consecutive(const Places& places);

/// The situation of a part in which one rank of each node takes part, with `share` of a vector's elements, 1/share.
Situation across_nodes(Collective collective, const Situation& whole, int share = 1);

/// How the part divides the data of a call in that situation; one block where places are not known.
Division division_across(Collective collective, const Situation& whole, const Parameters& with, int share = 1);

}  // namespace starling
