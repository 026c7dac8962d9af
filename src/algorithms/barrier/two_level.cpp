// barrier:two_level: the ranks of each node tell its first one, these leaders meet in a barrier, and each tells the
// ranks of its node.
//
//   nodes  0 1 2 | 3 4      1 and 2 tell 0, and 4 tells 3; 0 and 3 meet; 0 tells 1 and 2, and 3 tells 4

#include "algorithms/shared/two_level.hpp"

#include <utility>
#include <vector>

#include "algorithms/algorithm.hpp"

namespace starling::barrier {
namespace {

constexpr std::array parts_on_node{Collective::barrier};
constexpr Hierarchy hierarchy{parts_on_node, Collective::barrier};
constexpr Hierarchy leaders{{}, Collective::barrier};

bool by_messages(const Parameters& with) {
  return with.text("inner") == "sequential";
}

/// Of some ranks the first one, and what it says to the others and they to it.
class Circle {
 public:
  Circle(RankSet ranks, int rank, bool shares) : ranks_(std::move(ranks)), rank_(rank), shares_(shares) {}

  /// The first one hears that the others have come.
  void come(Schedule& todo) const { is_first() ? hear_all(todo) : tell(todo, {first()}); }
  /// It tells them to go.
  void go(Schedule& todo) const { is_first() ? tell(todo, others()) : hear_all(todo); }

 private:
  [[nodiscard]] int first() const { return ranks_.rank(0); }
  [[nodiscard]] bool is_first() const { return rank_ == first(); }
  [[nodiscard]] std::vector<int> others() const {
    if (!is_first()) return {first()};
    std::vector<int> all;
    for (int place = 1; place < ranks_.size(); ++place) all.push_back(ranks_.rank(place));
    return all;
  }
  void hear_all(Schedule& todo) const {
    const std::vector<int> all = others();
    if (all.empty()) return;
    Round& round = todo.round();
    for (const int peer : all) shares_ ? round.take(nothing(), peer) : round.receive(nothing(), peer);
  }
  void tell(Schedule& todo, const std::vector<int>& ranks) const {
    if (ranks.empty()) return;
    Round& round = todo.round();
    if (shares_) round.publish(nothing(), ranks);
    for (const int peer : ranks)
      if (!shares_) round.send(nothing(), peer);
  }

  RankSet ranks_;
  int rank_;
  bool shares_;
};

/// The circles that a rank is in: its node, or its domain and then the first ranks of its node's domains.
std::vector<Circle> circles(const Team& team, const TwoLevels& levels, const Parameters& with) {
  const bool shares = inner_shares_memory(with);
  if (!inner_has_domains(with)) return {Circle(levels.node(), team.rank, shares)};
  const Places& domains = team.places->by_domain();
  const int mine = domains.node_of(team.rank);
  std::vector<Circle> all{Circle(domains.on_node(mine), team.rank, shares)};
  if (domains.leader(mine) != team.rank) return all;
  std::vector<int> firsts;
  for (int place = 0; place < levels.node().size(); ++place) {
    const int rank = levels.node().rank(place);
    if (domains.position(rank) == 0) firsts.push_back(rank);
  }
  all.emplace_back(RankSet::of(firsts), team.rank, shares);
  return all;
}

Schedule build(const Team& team, const Parameters& with) {
  const TwoLevels levels(team);
  Schedule todo(team.blocks());
  const auto add = [&](const Schedule& barrier, const RankSet& ranks) {
    todo.append(barrier, {.send = {Buffer::send}, .recv = {Buffer::recv}, .ranks = ranks});
  };
  const auto all_on_node = [&] {
    if (levels.node().size() > 1) add(hierarchy.on_node(with).schedule(levels.within()), levels.node());
  };
  const bool has_circles = by_messages(with) || inner_shares_memory(with);
  const std::vector<Circle> inner = has_circles ? circles(team, levels, with) : std::vector<Circle>();
  if (!has_circles) all_on_node();
  for (const Circle& one : inner) one.come(todo);
  if (levels.leads()) add(hierarchy.across(with).schedule(levels.across(1)), levels.leaders());
  for (auto one = inner.rbegin(); one != inner.rend(); ++one) one->go(todo);
  if (!has_circles) all_on_node();
  return todo;
}

std::string refuses(const Situation& situation, const Parameters& with) {
  return (by_messages(with) ? leaders : hierarchy).refusal(situation, with);
}

bool shares_memory_on_node(const Parameters& with) {
  return !by_messages(with) && hierarchy.shares_memory(with);
}

int communicators_of(const Parameters& with) {
  return (by_messages(with) ? leaders : hierarchy).communicators(with);
}

}  // namespace

Algorithm two_level() {
  return {
      .collectives = {Collective::barrier},
      .name = "two_level",
      .says =
          "waits on each node for all of its ranks, runs a barrier among one rank of each node, then releases the "
          "others",
      .source = "Graham and Shipman 2008",
      .group = "two_level",
      .parameters = {inner_parameter<hierarchy>(
                         {"sequential", "shared", "domains", "native"},
                         "how a node's ranks wait for all of them and are released: by its first "
                         "one, or by a barrier before and one after that of the leaders"),
                     outer_parameter<hierarchy>({"dissemination", "recursive_doubling", "native"},
                                                "the barrier of the leaders")},
      .latency = "2 alpha on a node, ceil(log2 n) alpha among n nodes",
      .bandwidth = "none",
      .refuses = refuses,
      .shares_memory = shares_memory_on_node,
      .communicators = communicators_of,
      .build = build,
  };
}

}  // namespace starling::barrier
