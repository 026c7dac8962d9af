#include "algorithms/shared/domains.hpp"

#include <string>

#include "algorithms/candidate.hpp"
#include "algorithms/shared/node_memory.hpp"

namespace starling {
namespace {

/// What `domains` of that collective is made of.
const Algorithm& by_nodes_of(Collective collective) {
  const Algorithm* const two_level = algorithm_named(collective, "two_level");
  return two_level != nullptr ? *two_level : *algorithm_named(collective, "multilane");
}

const Parameters& by_memory() {
  // Never destroyed: a program may still call MPI when its own statics are.
  static const auto& both = *new Parameters{{"inner", "shared"}, {"outer", "shared"}};
  return both;
}

Situation on_domains(const Situation& node) {
  Situation same = node;
  if (node.places != nullptr) same.places = &node.places->by_domain();
  return same;
}

Schedule build_over_domains(const Team& node, const Parameters& /*none*/) {
  Team team = node;
  team.places = &node.places->by_domain();
  return by_nodes_of(node.collective).build(team, by_memory());
}

Division divide_over_domains(const Situation& node, const Parameters& /*none*/) {
  return by_nodes_of(node.collective).divide(on_domains(node), by_memory());
}

std::string refuses_domains(const Situation& node, const Parameters& /*none*/) {
  if (!node.places->has_domains()) return "the node is one NUMA domain, as far as is known";
  if (node.places->by_domain().nodes() == node.ranks) return "each rank is alone in its NUMA domain";
  if (std::string why = node_memory_refusal(node); !why.empty()) return why;
  const std::string why = by_nodes_of(node.collective).refuses(on_domains(node), by_memory());
  return why.empty() ? why : why + ", NUMA domains taken for nodes";
}

std::int64_t scratch_blocks_over_domains(const Situation& node, const Parameters& /*none*/) {
  return by_nodes_of(node.collective).scratch_blocks(on_domains(node), by_memory());
}

}  // namespace

Algorithm over_domains(const Algorithm& by_nodes, std::string_view says) {
  const bool combines = !by_nodes.reduction_order.empty();
  return {
      .collectives = by_nodes.collectives,
      .name = "domains",
      .says = says,
      .source = "Graham and Shipman 2008; Jain et al. 2018",
      .group = "shared",
      .needs = {.commutative = by_nodes.needs.commutative, .one_node = true},
      .reduction_order = combines ? "domains" : "",
      .latency = "that of shared memory in a domain, and among domains",
      .bandwidth = by_nodes.bandwidth == "none" ? "none" : "that of shared memory on both levels",
      .divide = by_nodes.divide == nullptr ? nullptr : divide_over_domains,
      .works_in_place = by_nodes.works_in_place,
      .refuses = refuses_domains,
      .scratch_blocks = by_nodes.scratch_blocks == nullptr ? nullptr : scratch_blocks_over_domains,
      .shares_memory = always_shares,
      .build = build_over_domains,
  };
}

}  // namespace starling
