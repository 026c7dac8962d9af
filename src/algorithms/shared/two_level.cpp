#include "algorithms/shared/two_level.hpp"

#include <algorithm>
#include <utility>

#include "algorithms/candidate.hpp"
#include "algorithms/shared/node_memory.hpp"

namespace starling {
namespace {

/// The lowest rank of each node, but `root` on its own.
RankSet led_by(const Places& places, int root) {
  std::vector<int> leaders;
  for (int node = 0; node < places.nodes(); ++node)
    leaders.push_back(node == places.node_of(root) ? root : places.leader(node));
  return RankSet::of(leaders);
}

/// The value of `inner` for which the part on a node is an algorithm of that name.
constexpr std::string_view domains = "domains";

/// The situation of a part in which the ranks of a node take part, of places that know domains.
Situation on_node(const Situation& whole, int node) {
  Situation part = whole;
  part.ranks = whole.places->on_node(node).size();
  part.places = whole.places->inside(node);
  part.tree = nullptr;
  part.in_place = false;
  return part;
}

bool are_even(const Places& places) {
  for (int node = 1; node < places.nodes(); ++node)
    if (places.on_node(node).size() != places.on_node(0).size()) return false;
  return true;
}

}  // namespace

TwoLevels::TwoLevels(const Team& team)
    : places_(*team.places),
      rank_(team.rank),
      node_(places_.on_node(places_.node_of(team.rank))),
      leaders_(led_by(places_, team.root)),
      leads_(leaders_.contains(team.rank)),
      leader_place_(node_.index_of(leaders_.rank(places_.node_of(team.rank)))),
      root_node_(places_.node_of(team.root)) {}

RankSet TwoLevels::lane() const {
  std::vector<int> ranks;
  for (int node = 0; node < places_.nodes(); ++node) ranks.push_back(places_.on_node(node).rank(place()));
  return RankSet::of(ranks);
}

Team TwoLevels::within(int blocks) const {
  return {.size = node_.size(),
          .rank = place(),
          .root = leader_place_,
          .division = {blocks},
          .places = places_.inside(places_.node_of(rank_))};
}

Team TwoLevels::across(int blocks) const {
  return {.size = places_.nodes(), .rank = places_.node_of(rank_), .root = root_node_, .division = {blocks}};
}

Parameter inner_parameter(std::string_view says, std::vector<std::string> values) {
  return {.name = "inner", .values = std::move(values), .says = says, .reorders = true};
}

bool inner_shares_memory(const Parameters& with) {
  return with.text("inner") == "shared" || inner_has_domains(with);
}

bool inner_has_domains(const Parameters& with) {
  return with.text("inner") == domains;
}

std::string inner_refusal(Collective collective, const Situation& whole, const Parameters& with) {
  if (inner_has_domains(with)) {
    if (!whole.places->has_domains()) return std::string(one_domain_refusal);
    for (int node = 0; node < whole.places->nodes(); ++node) {
      const Situation part = on_node(whole, node);
      const int domains_here = part.places->by_domain().nodes();
      if (domains_here == 1 || domains_here == part.ranks) continue;  // one level is enough there
      if (std::string why = part_refusal(collective, domains, part); !why.empty()) return why;
    }
  }
  if (inner_shares_memory(with)) return node_memory_refusal(whole);
  return part_refusal(collective, with.text("inner"), whole);
}

std::int64_t inner_scratch_blocks(Collective collective, const Situation& whole, const Parameters& with) {
  if (!inner_has_domains(with)) {
    Situation part = whole;
    part.ranks = whole.places->spread().ranks_per_node;
    return part_scratch_blocks(collective, with.text("inner"), part);
  }
  std::int64_t most = 0;
  for (int node = 0; node < whole.places->nodes(); ++node)
    most = std::max(most, part_scratch_blocks(collective, domains, on_node(whole, node)));
  return most;
}

std::string outer_refusal(Collective collective, const Situation& whole, const Parameters& with) {
  if (with.text("outer") == "shared") return node_memory_refusal(whole);
  return part_refusal(collective, with.text("outer"), across_nodes(collective, whole));
}

Parameter outer_parameter(std::vector<std::string> values, std::string_view says) {
  return {.name = "outer", .values = std::move(values), .says = says, .reorders = true};
}

std::string two_level_refusal(const Situation& whole) {
  if (whole.places == nullptr) return "needs to know which ranks share a node";
  if (whole.places->nodes() == 1) return "all ranks are on one node";
  if (whole.places->nodes() == whole.ranks) return "each rank is alone on its node";
  return {};
}

std::string even_nodes_refusal(const Situation& whole) {
  if (std::string why = two_level_refusal(whole); !why.empty()) return why;
  return are_even(*whole.places) ? "" : "needs equally many ranks on all nodes";
}

bool are_consecutive(const Places& places) {
  for (int rank = 1; rank < places.ranks(); ++rank)
    if (places.node_of(rank) < places.node_of(rank - 1)) return false;
  return true;
}

Situation across_nodes(Collective collective, const Situation& whole, int share) {
  Situation part = whole;
  part.collective = collective;
  part.ranks = whole.places->nodes();
  part.places = nullptr;
  part.tree = nullptr;
  part.in_place = false;
  part.bytes = (whole.bytes + share - 1) / share;
  part.elements = (whole.elements + share - 1) / share;
  return part;
}

Division division_across(Collective collective, const Situation& whole, const Parameters& with, int share) {
  if (whole.places == nullptr) return {};
  return candidate_named(collective, with.text("outer"))->division(across_nodes(collective, whole, share));
}

}  // namespace starling
