#include "algorithms/shared/two_level.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <numeric>
#include <optional>

#include "algorithms/shared/lanes.hpp"
#include "algorithms/shared/node_memory.hpp"

namespace starling {
namespace {

/// The value of `inner` for which the part on a node is an algorithm of that name.
constexpr std::string_view domains = "domains";
/// Between the ways for several parts.
constexpr char joint = '+';
/// Vectors are divided in no more blocks.
constexpr std::int64_t most_blocks = 1 << 16;

/// What `text` names for the part at `place`: its own way, or the only one.
std::string_view name_at(std::string_view text, std::size_t place) {
  for (std::size_t before = 0; before < place; ++before) {
    const std::size_t end = text.find(joint);
    if (end == std::string_view::npos) return before == 0 ? text : std::string_view();
    text.remove_prefix(end + 1);
  }
  return text.substr(0, text.find(joint));
}

/// Whether a part on a node is two levels itself.
bool has_domains(const Part& part) {
  return !part.is_native() && part.algorithm()->name == domains;
}

/// Calls `look` with the situation of a part on each node of several ranks, once where nodes are alike.
template <class Look>
void on_each_node(Collective collective, const Situation& whole, const Part& part, const Look& look) {
  const Places& places = *whole.places;
  const bool is_by_domain = has_domains(part);
  const bool needs_one_node = part.algorithm() != nullptr && part.algorithm()->needs.one_node;
  std::vector<int> seen;
  for (int node = 0; node < places.nodes(); ++node) {
    const int ranks = places.on_node(node).size();
    const Places* const inside = places.inside(node);
    if (ranks == 1) continue;
    if (is_by_domain && inside == nullptr) continue;
    if (!is_by_domain && std::find(seen.begin(), seen.end(), ranks) != seen.end()) continue;
    seen.push_back(ranks);
    Situation here = whole;
    here.collective = collective;
    here.ranks = ranks;
    here.tree = nullptr;
    here.in_place = false;
    const std::optional<Places> together =
        needs_one_node && !is_by_domain ? std::optional(Places(std::vector<int>(static_cast<std::size_t>(ranks))))
                                        : std::nullopt;
    here.places = together ? &*together : inside;
    look(here);
  }
}

/// Whether a node's domains are no second level: there is one, or each rank has its own.
bool is_one_level(const Part& part, const Situation& node) {
  if (!has_domains(part)) return false;
  const int domains_here = node.places->by_domain().nodes();
  return domains_here == 1 || domains_here == node.ranks;
}

/// The leader of each node, as TwoLevels says.
RankSet led_by(const Places& places, int root) {
  const bool even = places.are_even();
  std::vector<int> leaders;
  for (int node = 0; node < places.nodes(); ++node) {
    const bool is_roots = node == places.node_of(root);
    leaders.push_back(even || is_roots ? places.on_node(node).rank(places.position(root)) : places.leader(node));
  }
  return RankSet::of(leaders);
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

Part Hierarchy::on_node(const Parameters& with, std::size_t place) const {
  return Part::named(inner[place], name_at(with.text("inner"), place));
}

Part Hierarchy::across(const Parameters& with) const {
  return Part::named(outer, with.text("outer"));
}

bool Hierarchy::takes_inner(std::string_view text) const {
  const auto names = static_cast<std::size_t>(std::count(text.begin(), text.end(), joint)) + 1;
  if (names != 1 && names != inner.size()) return false;
  for (std::size_t place = 0; place < inner.size(); ++place)
    if (!Part::find(inner[place], name_at(text, place))) return false;
  return true;
}

bool Hierarchy::takes_outer(std::string_view text) const {
  const std::optional<Part> part = Part::find(outer, text);
  return part && (part->is_native() || !part->algorithm()->needs.one_node);
}

std::string Hierarchy::refusal(const Situation& whole, const Parameters& with) const {
  if (std::string why = two_level_refusal(whole); !why.empty()) return why;
  if (!takes_inner(with.text("inner")) || !Part::find(outer, with.text("outer")))
    return "needs parts that serve " + std::string(name_of(outer)) + " here";
  const bool divides = divides_a_vector(whole.collective);
  // Where nodes differ, what two of them exchange is another number of blocks for each pair, which no scratch has.
  const auto is_too_uneven = [&](Collective collective, const Part& part) {
    return has_sizes_of_pairs(collective) && part.learns_sizes() && !whole.places->are_even();
  };
  constexpr const char* too_uneven = "needs equally many ranks on all nodes for parts that pass blocks on";
  for (std::size_t place = 0; place < inner.size(); ++place) {
    const Part part = on_node(with, place);
    if (is_too_uneven(inner[place], part)) return too_uneven;
    if (has_lanes && part.communicators() > 0 && !whole.places->are_even())
      return "needs equally many ranks on all nodes for a part by the MPI library on a node";
    if (part.shares_memory()) {
      if (has_domains(part) && !whole.places->has_domains()) return std::string(one_domain_refusal);
      Situation together = whole;
      together.collective = inner[place];
      if (std::string why = node_memory_refusal(together); !why.empty()) return why;
    }
    std::string why;
    std::optional<Division> first;
    on_each_node(inner[place], whole, part, [&](const Situation& node) {
      if (why.empty() && !is_one_level(part, node)) why = part.refusal(node);
      if (!why.empty() || !divides_a_vector(inner[place])) return;
      const Division here = part.division(node);
      if (!divides && here.blocks != 1)
        why = std::string(name_of(inner[place])) + " on a node would divide the blocks of ranks";
      if (first && here.blocks != first->blocks)
        why = "would divide the vector otherwise on nodes with other numbers of ranks";
      first = here;
    });
    if (!why.empty()) return why;
  }
  const Part between = across(with);
  if (is_too_uneven(outer, between)) return too_uneven;
  // Only the leaders of the domains of one node can meet in memory.
  if (!between.is_native() && between.algorithm()->needs.one_node) return node_memory_refusal(whole);
  if (std::string why = between.refusal(between_nodes(whole)); !why.empty()) return why;
  const bool has_blocks_of_nodes = !divides_a_vector(outer) && outer != Collective::barrier;
  if (between.communicators() > 0 && (has_blocks_of_nodes || rooted(outer)) && !whole.places->are_even())
    return "needs equally many ranks on all nodes for a part by the MPI library between them";
  if (divides && division(whole, with).blocks == 0)
    return "would divide the vector in more than " + std::to_string(most_blocks) + " blocks";
  return {};
}

Situation Hierarchy::between_nodes(const Situation& whole) const {
  return across_nodes(outer, whole, has_lanes && divides_a_vector(outer) ? lanes_of(*whole.places) : 1);
}

Division Hierarchy::division(const Situation& whole, const Parameters& with) const {
  Division all;
  if (whole.places == nullptr) return all;
  std::int64_t blocks = 1;
  const auto add = [&](std::size_t place, int of_part) {
    all.of_parts.at(place) = of_part;
    blocks = std::min(std::lcm(blocks, std::int64_t{of_part}), most_blocks + 1);
  };
  for (std::size_t place = 0; place < inner.size(); ++place) {
    if (!divides_a_vector(inner[place])) continue;
    const Part part = on_node(with, place);
    on_each_node(inner[place], whole, part, [&](const Situation& node) { add(place, part.division(node).blocks); });
  }
  add(inner.size(), across(with).division(across_nodes(outer, whole)).blocks);
  all.blocks = blocks > most_blocks ? 0 : static_cast<int>(blocks);
  return all;
}

std::int64_t Hierarchy::inner_scratch(const Situation& whole, const Parameters& with, std::size_t place) const {
  const Part part = on_node(with, place);
  std::int64_t most = 0;
  on_each_node(inner[place], whole, part,
               [&](const Situation& node) { most = std::max(most, part.scratch_blocks(node)); });
  return most;
}

std::int64_t Hierarchy::outer_scratch(const Situation& whole, const Parameters& with) const {
  return across(with).scratch_blocks(between_nodes(whole));
}

std::int64_t Hierarchy::scratch(const Situation& whole, const Parameters& with) const {
  const Division all = division(whole, with);
  std::int64_t blocks = outer_scratch(whole, with) * (all.blocks / all.of_parts.at(inner.size()));
  for (std::size_t place = 0; place < inner.size(); ++place)
    blocks += inner_scratch(whole, with, place) * (all.blocks / all.of_parts.at(place));
  return blocks;
}

bool Hierarchy::shares_memory(const Parameters& with) const {
  for (std::size_t place = 0; place < inner.size(); ++place)
    if (on_node(with, place).shares_memory()) return true;
  return across(with).shares_memory();
}

int Hierarchy::communicators(const Parameters& with) const {
  int most = across(with).communicators();
  bool joins = false;
  for (std::size_t place = 0; place < inner.size(); ++place) {
    const Part part = on_node(with, place);
    joins = joins || part.is_native();
    if (!part.is_native()) most += part.communicators();
  }
  return most + (joins ? 1 : 0);
}

Parameter level_parameter(std::string_view name, std::vector<std::string_view> values, std::string_view says) {
  return {.name = name, .values = std::move(values), .says = says, .reorders = true};
}

bool inner_shares_memory(const Parameters& with) {
  return with.text("inner") == "shared" || inner_has_domains(with);
}

bool inner_has_domains(const Parameters& with) {
  return with.text("inner") == domains;
}

std::string two_level_refusal(const Situation& whole) {
  if (whole.places == nullptr) return "needs to know which ranks share a node";
  if (whole.places->nodes() == 1) return "all ranks are on one node";
  if (whole.places->nodes() == whole.ranks) return "each rank is alone on its node";
  return {};
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

std::vector<int> listed(const RankSet& ranks) {
  std::vector<int> all;
  for (int place = 0; place < ranks.size(); ++place) all.push_back(ranks.rank(place));
  return all;
}

std::vector<int> by_node(const Places& places) {
  std::vector<int> all;
  for (int node = 0; node < places.nodes(); ++node)
    for (const int rank : listed(places.on_node(node))) all.push_back(rank);
  return all;
}

Origin of_all_nodes(Origin first, const Places& places) {
  if (places.are_even()) {
    first.scale = places.on_node(0).size();
  } else {
    first.starts = starts_of_nodes(places);
  }
  return first;
}

Origin of_one_node(Origin first, int ranks) {
  first.scale = ranks;
  return first;
}

std::vector<int> starts_of_nodes(const Places& places) {
  std::vector<int> starts{0};
  for (int node = 0; node < places.nodes(); ++node) starts.push_back(starts.back() + places.on_node(node).size());
  return starts;
}

}  // namespace starling
