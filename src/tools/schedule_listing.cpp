#include "tools/schedule_listing.hpp"

#include <algorithm>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <unordered_map>
#include <utility>
#include <variant>
#include <vector>

#include "algorithms/candidate.hpp"
#include "messages/told.hpp"
#include "schedule/checker.hpp"
#include "tools/words.hpp"
#include "topology/places.hpp"
#include "ways/way.hpp"

namespace starling {
namespace {

using Json = nlohmann::ordered_json;

constexpr int most_ranks_shown = 1024;
/// Of more, the checker takes long.
constexpr int most_ranks_proven = 64;
constexpr int most_blocks = 65536;
/// Blocks that show how a pipeline fills.
constexpr int telling_blocks = 4;

[[noreturn]] void refuse(const std::string& why) {
  throw std::invalid_argument(why);
}

Bound candidate_of(std::string_view text) {
  const Way way = way_from(text);
  const Bound* const bound = way.scheduled();
  if (bound == nullptr) refuse(told(text).append(": not a schedule of the repository; there are no steps to show"));
  return *bound;
}

/// The network that schedules are shown on: two switches, ranks with even numbers below one, the others below the
/// other.
SwitchTree example_network(int ranks) {
  std::vector<int> switches;
  for (int rank = 0; rank < ranks; ++rank) switches.push_back(rank % 2);
  return {{-1, 0}, std::move(switches)};
}

/// Their nodes: of two consecutive ranks each, of many ranks of four; or one of all ranks. Each has two domains, with
/// as many consecutive ranks each as can be.
Places example_places(int ranks, bool one_node) {
  constexpr int many = 16;
  const int of_a_node = one_node ? std::max(ranks, 2) : ranks < many ? 2 : 4;
  std::vector<int> nodes;
  std::vector<int> domains;
  for (int rank = 0; rank < ranks; ++rank) {
    nodes.push_back(rank / of_a_node);
    domains.push_back(rank % of_a_node < (of_a_node + 1) / 2 ? 0 : 1);
  }
  return Places(nodes, domains);
}

/// A situation in which the candidate works on `wanted` blocks, or on a number that shows how it works. Data of all
/// lengths is tried, until a message has one block where several go together.
Situation situation_of(const Bound& bound, const SwitchTree& network, const Places& places, std::optional<int> wanted) {
  const int ranks = network.ranks();
  const int pieces = wanted.value_or(telling_blocks);
  std::string why;
  std::optional<Situation> smallest;
  for (std::int64_t size = 1; size < (std::int64_t{1} << 36); size *= 2) {
    const std::int64_t bytes = size * (divides_blocks(bound.collective) ? std::max(1, pieces / ranks) : pieces);
    const Situation situation{.collective = bound.collective,
                              .ranks = ranks,
                              .bytes = bytes,
                              .elements = bytes,
                              .tree = &network,
                              .places = &places};
    std::string refusal = bound.refusal(situation);
    if (!refusal.empty()) {
      if (why.empty()) why = std::move(refusal);
      continue;
    }
    const Division division = bound.division(situation);
    const int blocks = division.blocks;
    if ((wanted ? blocks == *wanted : blocks >= telling_blocks) && division.per_message <= 1) return situation;
    if (!smallest) smallest = situation;
  }
  const std::string name = std::string(name_of(bound.collective)) + ":" + bound.name();
  if (!smallest)
    refuse(name + " does not serve " + std::to_string(ranks) + (ranks == 1 ? " rank: " : " ranks: ") + why);
  if (wanted) refuse(name + " does not divide its data into " + std::to_string(*wanted) + " blocks");
  return *smallest;
}

Json listed(const Blocks& blocks) {
  return {name_of(blocks.buffer), blocks.first, blocks.count};
}

Json listed(std::span<const Transfer> transfers) {
  Json all = Json::array();
  for (const auto& [peer, blocks] : transfers)
    all.push_back({peer, name_of(blocks.buffer), blocks.first, blocks.count});
  return all;
}

/// Steps as drawings take them, whatever their kind: `receives` and `sends` are arrows, `works` are dots, and `group`,
/// an index into the list of groups, is a bar with its `name`, its `title` in full, and what the legend `says` of it.
class Lister {
 public:
  template <class Kind>
  Json operator()(const Kind& step) {
    const Drawing drawing = step.drawn();
    Json json{{"kind", Kind::name}};
    if (const auto& arrows = drawing.arrows) {
      json["receives"] = listed(arrows->receives);
      json["sends"] = listed(arrows->sends);
    }
    for (const Drawing::Dot& one : drawing.dots)
      json["works"].push_back({one.name, listed(one.from), listed(one.into)});
    if (const auto& bar = drawing.bar)
      json.update({{"name", bar->name},
                   {"title", bar->title},
                   {"says", bar->says},
                   {"group", number_of(bar->group)},
                   {"root", bar->root},
                   {"scale", bar->scale},
                   {"short_by", bar->short_by},
                   {"from", listed(bar->from)},
                   {"into", listed(bar->into)}});
    return json;
  }
  Json operator()(const Round& round) {
    Json steps = Json::array();
    const auto add = [&](const auto& step) {
      if (!step.empty()) steps.push_back((*this)(step));
    };
    std::visit(add, round.meeting);
    add(round.local);
    return steps;
  }

  /// The groups of all steps so far, as ranks.
  [[nodiscard]] Json groups() const {
    Json all = Json::array();
    for (const RankSet& group : groups_) {
      Json ranks = Json::array();
      for (int i = 0; i < group.size(); ++i) ranks.push_back(group.rank(i));
      all.push_back(std::move(ranks));
    }
    return all;
  }

 private:
  std::size_t number_of(const RankSet& group) {
    const auto [known, is_new] = numbers_.try_emplace(group, groups_.size());
    if (is_new) groups_.push_back(group);
    return known->second;
  }

  std::vector<RankSet> groups_;
  std::unordered_map<RankSet, std::size_t, RankSet::Hash> numbers_;
};

/// What is wrong with the schedules of all ranks; empty if nothing, or where that was not looked at.
std::string mistake_in(const std::vector<Schedule>& all, const Bound& bound, const Situation& situation, int root) {
  if (situation.ranks > most_ranks_proven) return {};
  return check(bound.collective, all, root,
               {.blocks = bound.blocks(situation),
                .commutative = bound.algorithm->needs.commutative,
                .uniform = has_uniform_blocks(bound.collective),
                .nodes = situation.places->node_of_each(),
                .learns_sizes = bound.learns_sizes()})
      .error;
}

}  // namespace

Json schedule_listing(std::span<const std::string_view> words) {
  if (words.size() < 2 || words.size() > 4)
    refuse("schedule takes COLLECTIVE:NAME RANKS [ROOT] [BLOCKS], as in: schedule bcast:chain?segment=8192 8");
  const Bound bound = candidate_of(words[0]);
  const auto ranks = static_cast<int>(number_from("ranks", words[1], 1, most_ranks_shown));
  const auto root = words.size() > 2 ? static_cast<int>(number_from("the root", words[2], 0, ranks - 1)) : 0;
  if (root != 0 && !rooted(bound.collective)) refuse(std::string(name_of(bound.collective)).append(" has no root"));
  std::optional<int> wanted;
  if (words.size() > 3) wanted = static_cast<int>(number_from("blocks", words[3], 1, most_blocks));
  const SwitchTree network = example_network(ranks);
  const Places places = example_places(ranks, bound.algorithm->needs.one_node);
  const Situation situation = situation_of(bound, network, places, wanted);

  Lister list;
  std::vector<Schedule> all;
  for (int rank = 0; rank < ranks; ++rank) all.push_back(bound.schedule(bound.team(situation, rank, root)));
  Json schedules = Json::array();
  for (const Schedule& schedule : all) {
    Json rounds = Json::array();
    for (const Round& round : schedule.rounds()) rounds.push_back(list(round));
    schedules.push_back(std::move(rounds));
  }
  return {
      {"collective", name_of(bound.collective)},
      {"name", bound.name()},
      {"rooted", rooted(bound.collective)},
      {"root", root},
      {"blocks", bound.blocks(situation)},
      {"mistake", mistake_in(all, bound, situation, root)},
      {"network",
       bound.algorithm->needs.switches ? "two linked switches; even ranks below one, odd ranks below the other" : ""},
      {"groups", list.groups()},
      {"ranks", std::move(schedules)}};
}

}  // namespace starling
