#include "every_candidate.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <tuple>
#include <unordered_set>
#include <utility>
#include <variant>

#include "topology/random_tree.hpp"

namespace starling {
namespace {

/// Mixes numbers into one.
class Mixer {
 public:
  void add(std::int64_t number) {
    value_ = (value_ ^ static_cast<std::uint64_t>(number)) * 0xbf58476d1ce4e5b9U;
    value_ ^= value_ >> 31U;
  }
  void add(int number, Blocks blocks) {
    add(number);
    add(static_cast<std::int64_t>(blocks.buffer));
    add(blocks.first);
    add(blocks.count);
  }
  void add(const Messages& step) {
    for (const auto* const some : {&step.receives, &step.sends}) {
      add(std::ssize(*some));
      for (const Transfer& one : *some) add(one.peer, one.blocks);
    }
  }
  void add(const SubCollective& step) {
    for (const int number : {static_cast<int>(step.collective), step.group.size(), step.scale, step.short_by})
      add(number);
    for (int i = 0; i < step.group.size(); ++i) add(step.group.rank(i));
    add(step.root, step.from);
    add(0, step.into);
  }
  void add(const Sharing& step) {
    add(std::ssize(step.publications));
    for (const Publication& one : step.publications) {
      add(static_cast<int>(one.readers.size()), one.from);
      for (const int reader : one.readers) add(reader);
    }
    for (const Take& one : step.takes) {
      add(one.peer, one.into);
      add(0, one.left);
      add(0, one.right);
    }
  }
  void add(const LocalWork& step) {
    add(std::ssize(step.all));
    for (const Local& one : step.all) {
      add(static_cast<int>(one.kind), one.from);
      add(0, one.into);
    }
  }
  [[nodiscard]] std::uint64_t value() const { return value_; }

 private:
  std::uint64_t value_ = 0x9e3779b97f4a7c15U;
};

}  // namespace

std::set<int> roots(Collective collective, int ranks) {
  if (!rooted(collective)) return {0};
  return {0, std::min(1, ranks - 1), ranks / 2, ranks - 1};
}

const SwitchTree& tree_of(int ranks) {
  static std::map<int, SwitchTree> trees;
  return trees.try_emplace(ranks, random_tree(ranks, 1)).first->second;
}

const Places& places_of(int ranks) {
  static std::map<int, Places> all;
  if (const auto known = all.find(ranks); known != all.end()) return known->second;
  std::vector<int> nodes;
  std::vector<int> domains;
  for (int rank = 0; rank < ranks; ++rank) {
    const bool in_blocks = ranks % 4 == 0;
    const bool in_turn = ranks % 4 == 2;
    domains.push_back(in_blocks ? rank / 2 : in_turn ? rank / std::max(1, ranks / 2) : rank % 2);
    nodes.push_back(in_blocks ? rank / (ranks == 4 ? 2 : 4)
                    : in_turn ? rank % std::max(1, ranks / 2)
                              : tree_of(ranks).switch_of(rank));
  }
  return all.emplace(std::piecewise_construct, std::tuple{ranks}, std::tuple{nodes, domains}).first->second;
}

namespace {

/// All of so many ranks on one node, in domains as different as the nodes of `places_of`.
const Places& one_node_of(int ranks) {
  static std::map<int, Places> all;
  return all.try_emplace(ranks, std::vector<int>(static_cast<std::size_t>(ranks)), places_of(ranks).node_of_each())
      .first->second;
}

}  // namespace

Situation situation_of(const Bound& bound, int ranks, std::int64_t bytes) {
  return {.collective = bound.collective,
          .ranks = ranks,
          .bytes = bytes,
          .elements = bytes,
          .tree = &tree_of(ranks),
          .places = bound.algorithm->needs.one_node ? &one_node_of(ranks) : &places_of(ranks)};
}

std::vector<Situation> situations(const Bound& bound, int ranks) {
  const int most_blocks = ranks <= 40 ? 16 : 4;
  // Each rank searches for its place among the switches, which takes most of the tests' time.
  const bool one_is_enough = bound.algorithm->needs.switches && ranks > 16;
  std::map<Division, Situation> by_division;
  for (std::int64_t bytes = 1; bytes < (std::int64_t{1} << 30); bytes *= 2) {
    const Situation situation = situation_of(bound, ranks, (3 * bytes) + 1);
    if (!bound.refusal(situation).empty()) continue;
    const Division division = bound.division(situation);
    const int blocks = division.blocks;
    const bool of_ranks = divides_blocks(bound.collective);
    if (blocks < 1 || (of_ranks && blocks % ranks != 0)) {
      ADD_FAILURE() << full_name(bound) << " divides " << situation.bytes << " bytes on " << ranks << " ranks into "
                    << blocks << " blocks";
      return {};
    }
    if ((of_ranks ? 4 * blocks / ranks : blocks) <= most_blocks || by_division.size() < 2)
      by_division.emplace(division, situation);
    if (one_is_enough) break;
  }
  std::vector<Situation> all;
  for (const auto& [how, situation] : by_division) all.push_back(situation);
  return all;
}

std::vector<Schedule> schedules(const Bound& bound, const Situation& situation, int root) {
  std::vector<Schedule> all;
  for (int rank = 0; rank < situation.ranks; ++rank) all.push_back(bound.schedule(bound.team(situation, rank, root)));
  return all;
}

CheckedCall facts_of(const Bound& bound, const Situation& situation) {
  return {.blocks = bound.blocks(situation),
          .commutative = bound.algorithm->needs.commutative,
          .uniform = has_uniform_blocks(bound.collective),
          .in_place = false,
          .nodes = situation.places->node_of_each(),
          .learns_sizes = bound.learns_sizes()};
}

std::size_t most_scratch(const std::vector<Schedule>& all) {
  std::size_t most = 0;
  for (const Schedule& schedule : all) {
    std::size_t mine = 0;
    for (const Scratch& scratch : schedule.scratch()) mine += scratch.like.size();
    most = std::max(most, mine);
  }
  return most;
}

void expect_all_groups_as_the_root(const Bound& bound, const Situation& situation) {
  for (int rank = 0; rank < situation.ranks; ++rank) {
    const auto groups = [&](int root) {
      std::vector<RankSet> all;
      const Schedule schedule = bound.schedule(bound.team(situation, rank, root));
      for (const Round& round : schedule.rounds())
        if (round.sub() != nullptr) all.push_back(round.sub()->group);
      return all;
    };
    const std::vector<RankSet> as_root = groups(rank);
    for (int root = 0; root < situation.ranks; ++root)
      for (const RankSet& group : groups(root))
        EXPECT_NE(std::find(as_root.begin(), as_root.end(), group), as_root.end())
            << full_name(bound) << ", rank " << rank << " of " << situation.ranks << ", root " << root;
  }
}

std::uint64_t fingerprint(const Schedule& schedule) {
  Mixer mixer;
  mixer.add(schedule.blocks());
  for (const Scratch& scratch : schedule.scratch()) {
    mixer.add(std::ssize(scratch.like));
    for (const int block : scratch.like) mixer.add(block);
  }
  for (const Round& round : schedule.rounds()) {
    mixer.add(static_cast<std::int64_t>(round.meeting.index()));
    std::visit([&](const auto& step) { mixer.add(step); }, round.meeting);
    mixer.add(round.local);
  }
  return mixer.value();
}

std::string fault(Collective collective, const std::vector<Schedule>& all, int root, const CheckedCall& facts) {
  static std::unordered_set<std::uint64_t> right;
  Mixer mixer;
  for (const int number : {static_cast<int>(collective), root, facts.blocks, int{facts.commutative}, int{facts.uniform},
                           int{facts.in_place}, int{facts.learns_sizes}})
    mixer.add(number);
  for (const int node : facts.nodes) mixer.add(node);
  for (const Schedule& one : all) mixer.add(static_cast<std::int64_t>(fingerprint(one)));
  if (right.contains(mixer.value())) return {};
  Tally::schedules += std::ssize(all);
  ++Tally::runs;
  std::string error = check(collective, all, root, facts).error;
  if (error.empty()) right.insert(mixer.value());
  return error;
}

std::string full_name(const Bound& bound) {
  return std::string(name_of(bound.collective)) + ":" + bound.name();
}

std::vector<Bound> every_candidate() {
  std::vector<Bound> all;
  for (int i = 0; i < collective_count; ++i)
    for (const Bound& bound : candidates(static_cast<Collective>(i)))
      if (bound.algorithm->build != nullptr) all.push_back(bound);
  return all;
}

std::string test_name(std::string name) {
  for (char& c : name)
    if (std::isalnum(static_cast<unsigned char>(c)) == 0) c = '_';
  return name;
}

}  // namespace starling
