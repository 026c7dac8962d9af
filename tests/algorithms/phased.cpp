// alltoall:phased: whether messages of different phases are separated on every link of the network.

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "algorithms/candidate.hpp"
#include "sanitized.hpp"
#include "schedule/checker.hpp"
#include "schedule/happens_before.hpp"
#include "topology/link_use.hpp"
#include "topology/phases.hpp"
#include "topology/random_tree.hpp"

namespace starling {
namespace {

struct Sent {
  int from;
  int to;
  std::size_t phase;
};

std::vector<Schedule> schedules(const SwitchTree& tree, Synchronisation synchronisation) {
  const Bound bound{algorithm_named(Collective::alltoall, "phased"), Collective::alltoall, synchronisation, {}};
  std::vector<Schedule> all;
  for (int rank = 0; rank < tree.ranks(); ++rank)
    all.push_back(bound.schedule({.size = tree.ranks(), .rank = rank, .division = {tree.ranks()}, .tree = &tree}));
  return all;
}

/// The messages over each link, by phase.
std::map<LinkUse::Link, std::vector<Sent>> messages_on_links(const SwitchTree& tree) {
  const LinkUse use(tree);
  std::map<LinkUse::Link, std::vector<Sent>> all;
  for (int rank = 0; rank < tree.ranks(); ++rank) {
    const std::vector<Phase> phases = contention_free_phases(tree, rank);
    for (std::size_t phase = 0; phase < phases.size(); ++phase)
      if (const int to = phases[phase].to; to >= 0)
        for (const auto& link : use.way(rank, to)) all[link].push_back({rank, to, phase});
  }
  for (auto& [link, messages] : all)
    std::sort(messages.begin(), messages.end(), [](const Sent& a, const Sent& b) { return a.phase < b.phase; });
  return all;
}

/// Where the one message of data between two ranks is sent and received.
struct Rounds {
  std::size_t sent = 0;
  std::size_t received = 0;
};

std::map<std::pair<int, int>, Rounds> rounds_of_messages(const std::vector<Schedule>& all) {
  std::map<std::pair<int, int>, Rounds> rounds;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const int rank = static_cast<int>(i);
    for (std::size_t round = 0; round < all[i].rounds().size(); ++round) {
      for (const Transfer& one : all[i].rounds()[round].sends())
        if (one.blocks.count > 0) rounds[{rank, one.peer}].sent = round;
      for (const Transfer& one : all[i].rounds()[round].receives())
        if (one.blocks.count > 0) rounds[{one.peer, rank}].received = round;
    }
  }
  return rounds;
}

struct Pairs {
  int all = 0;
  int apart = 0;
};

/// The pairs of messages on one link of which the earlier is received before the later is sent. A rank's own messages
/// need only be sent in order, since they leave over its own link.
Pairs pairs_on_links(const SwitchTree& tree, const std::vector<Schedule>& all) {
  HappensBefore order(tree.ranks(), HappensBefore::Counted::all);
  const CheckedCall facts{.blocks = tree.ranks(), .uniform = true};
  EXPECT_EQ(check(Collective::alltoall, all, 0, facts, &order).error, "");
  const std::map<std::pair<int, int>, Rounds> rounds = rounds_of_messages(all);
  Pairs pairs;
  for (const auto& [link, messages] : messages_on_links(tree))
    for (auto later = messages.begin(); later != messages.end(); ++later)
      for (auto earlier = messages.begin(); earlier != later; ++earlier) {
        const Rounds& first = rounds.at({earlier->from, earlier->to});
        const Rounds& second = rounds.at({later->from, later->to});
        const bool own = earlier->from == later->from && first.sent < second.sent;
        ++pairs.all;
        if (own || order.before({earlier->to, first.received}, {later->from, second.sent})) ++pairs.apart;
      }
  return pairs;
}

int words(const std::vector<Schedule>& all) {
  int words = 0;
  for (const Schedule& one : all)
    for (const Round& round : one.rounds())
      words += static_cast<int>(std::count_if(round.sends().begin(), round.sends().end(),
                                              [](const Transfer& sent) { return sent.blocks.count == 0; }));
  return words;
}

/// That many switches in a row, or around the first one, with 8 ranks each.
SwitchTree eights(const std::vector<int>& parents) {
  std::vector<int> hangs;
  for (int rank = 0; rank < 8 * static_cast<int>(parents.size()); ++rank) hangs.push_back(rank / 8);
  return {parents, hangs};
}

const std::vector<int> star{-1, 0, 0, 0};
const std::vector<int> chain{-1, 0, 1, 2};

void expect_apart(const SwitchTree& tree) {
  for (const Synchronisation synchronisation : {Synchronisation::light_barrier, Synchronisation::mpi_barrier}) {
    const Pairs pairs = pairs_on_links(tree, schedules(tree, synchronisation));
    EXPECT_EQ(pairs.apart, pairs.all) << name_of(synchronisation);
  }
}

constexpr unsigned trees = testing::sanitized ? 10 : 40;

TEST(Phased, KeepsMessagesOfDifferentPhasesApartOnEveryLinkOfRandomTrees) {
  for (unsigned seed = 1; seed <= trees; ++seed)
    for (const int ranks : {2, 3, 4, 5, 7, 8, 11, 16, 21, 24}) {
      SCOPED_TRACE(std::to_string(ranks) + " ranks, seed " + std::to_string(seed));
      expect_apart(random_tree(ranks, seed));
      if (HasFailure()) return;
    }
}

TEST(Phased, KeepsThemApartOnTrunks) {
  expect_apart(eights(star));
  expect_apart(eights(chain));
}

TEST(Phased, WouldNotByMessagesBetweenThePartnersOfARound) {
  const SwitchTree tree = eights(star);
  std::vector<Schedule> all = schedules(tree, Synchronisation::none);
  const Pairs loose = pairs_on_links(tree, all);
  for (Schedule& one : all) one = one.synchronised(Synchronisation::light_barrier, tree.ranks());
  const Pairs by_partners = pairs_on_links(tree, all);
  EXPECT_LT(loose.apart, by_partners.apart);
  EXPECT_LT(by_partners.apart, by_partners.all);
}

TEST(Phased, SendsAboutOneNotificationForEachMessage) {
  const int messages = 32 * 31;
  EXPECT_LT(words(schedules(eights(star), Synchronisation::light_barrier)), messages * 105 / 100);
  EXPECT_LT(words(schedules(eights(chain), Synchronisation::light_barrier)), messages * 120 / 100);
  const SwitchTree single({-1}, std::vector<int>(32));
  EXPECT_EQ(words(schedules(single, Synchronisation::light_barrier)), 32 * 30) << "none before a rank's first message";
}

}  // namespace
}  // namespace starling
