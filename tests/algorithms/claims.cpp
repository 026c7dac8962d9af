// Claims of descriptors compared with their schedules: an algorithm that claims needs it does not have would be left
// out where it could serve.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <exception>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

#include "every_candidate.hpp"

namespace starling {
namespace {

/// The candidates of one algorithm for one collective.
struct Family {
  std::string name;
  std::vector<Bound> members;
};

void PrintTo(const Family& family, std::ostream* out) {
  *out << family.name;
}

std::vector<Family> families() {
  std::vector<Family> all;
  for (const Bound& bound : every_candidate()) {
    const std::string name = std::string(name_of(bound.collective)).append(":").append(bound.algorithm->name);
    if (all.empty() || all.back().name != name) all.push_back({name, {}});
    all.back().members.push_back(bound);
  }
  return all;
}

/// Whether the candidate, used against its claims, fails on some of the numbers of ranks; empty where `refuses`
/// excludes all of them, as it may then not be used.
std::optional<bool> fails(const Bound& bound, const std::vector<int>& numbers, CheckedCall facts) {
  bool asked = false;
  for (const int ranks : numbers) {
    for (const std::int64_t bytes : {std::int64_t{64}, std::int64_t{1} << 20}) {
      const Situation situation = situation_of(bound, ranks, bytes);
      try {
        if (bound.algorithm->refuses != nullptr && !bound.algorithm->refuses(situation, bound.parameters).empty())
          continue;
        facts.blocks = bound.blocks(situation);
        facts.nodes = situation.places->node_of_each();
        if (facts.blocks < 1) continue;
        asked = true;
        for (const int root : roots(bound.collective, ranks))
          if (!fault(bound.collective, schedules(bound, situation, root), root, facts).empty()) return true;
      } catch (const std::exception&) {
        return true;
      }
    }
  }
  return asked ? std::optional(false) : std::nullopt;
}

class EveryAlgorithm : public ::testing::TestWithParam<Family> {
 protected:
  /// Whether some of its candidates fail, or none may be used.
  [[nodiscard]] static bool some_fail(const std::vector<int>& numbers, bool commutative, bool in_place) {
    bool asked = false;
    for (const Bound& bound : GetParam().members) {
      CheckedCall facts = facts_of(bound, situation_of(bound, 2, 64));
      facts.commutative = commutative;
      facts.in_place = in_place;
      const std::optional<bool> failed = fails(bound, numbers, facts);
      if (failed.value_or(false)) return true;
      asked = asked || failed;
    }
    return !asked;
  }
};

TEST_P(EveryAlgorithm, RefusesWhereItsNeedsAreNotMet) {
  for (const Bound& bound : GetParam().members) {
    const Needs& needs = bound.algorithm->needs;
    Situation situation = situation_of(bound, 6, 1 << 20);
    if (needs.power_of_two) {
      EXPECT_NE(bound.refusal(situation), "") << bound.name();
    }
    if (needs.switches) {
      situation.tree = nullptr;
      EXPECT_NE(bound.refusal(situation), "") << bound.name();
    }
    if (needs.one_node) {
      const Places two_nodes(std::vector<int>{0, 0, 0, 1, 1, 1});
      situation.places = &two_nodes;
      EXPECT_NE(bound.refusal(situation), "") << bound.name();
      situation.places = nullptr;
      EXPECT_NE(bound.refusal(situation), "") << bound.name();
    }
    if (needs.commutative) {
      situation.commutative = false;
      EXPECT_NE(bound.refusal(situation), "") << bound.name();
    }
  }
}

TEST_P(EveryAlgorithm, NeedsWhatItSaysItNeeds) {
  const Algorithm& algorithm = *GetParam().members.front().algorithm;
  const Needs& needs = algorithm.needs;
  if (needs.power_of_two) {
    EXPECT_TRUE(some_fail({3, 5, 6, 7, 12}, needs.commutative, false))
        << "it serves any number of ranks that it does not refuse: needs.power_of_two is not true";
  }
  if (needs.least_ranks > 1) {
    EXPECT_TRUE(some_fail({needs.least_ranks - 1}, needs.commutative, false))
        << "it serves " << needs.least_ranks - 1 << " ranks: needs.least_ranks is too many";
  }
  if (needs.commutative) {
    EXPECT_TRUE(some_fail({4, 6, 8, 20}, false, false)) << "it keeps the order of ranks: needs.commutative is not true";
  }
}

TEST_P(EveryAlgorithm, NeedsOneNodeWhereItSaysSo) {
  for (const Bound& bound : GetParam().members) {
    if (!bound.algorithm->needs.one_node) continue;
    const Situation situation = situation_of(bound, 8, 64);
    CheckedCall facts = facts_of(bound, situation);
    const std::vector<int> two_nodes{0, 0, 0, 0, 1, 1, 1, 1};
    facts.nodes = two_nodes;
    EXPECT_NE(fault(bound.collective, schedules(bound, situation, 0), 0, facts), "") << bound.name();
  }
}

TEST_P(EveryAlgorithm, SharesMemoryWhereItSaysSo) {
  for (const Bound& bound : GetParam().members) {
    for (const int ranks : {6, 8}) {
      const Situation situation = situation_of(bound, ranks, 1 << 20);
      if (!bound.refusal(situation).empty()) continue;
      bool shares = false;
      for (const Schedule& one : schedules(bound, situation, 0))
        for (const Round& round : one.rounds()) shares = shares || round.sharing() != nullptr;
      EXPECT_EQ(bound.shares_memory(), shares) << bound.name() << ", " << ranks << " ranks";
    }
  }
}

TEST_P(EveryAlgorithm, NeedsAsManyCommunicatorsAsItSays) {
  for (const Bound& bound : GetParam().members) {
    for (const int ranks : {6, 8}) {
      const Situation situation = situation_of(bound, ranks, 1 << 20);
      if (!bound.refusal(situation).empty()) continue;
      std::size_t most = 0;
      for (const Schedule& one : schedules(bound, situation, 0)) {
        std::vector<RankSet> groups;
        for (const Round& round : one.rounds())
          if (const SubCollective* const sub = round.sub();
              sub != nullptr && std::find(groups.begin(), groups.end(), sub->group) == groups.end())
            groups.push_back(sub->group);
        most = std::max(most, groups.size());
      }
      EXPECT_EQ(bound.communicators(), static_cast<int>(most)) << bound.name() << ", " << ranks << " ranks";
    }
  }
}

TEST_P(EveryAlgorithm, WorksInPlaceUnlessThatGoesWrong) {
  const Bound& first = GetParam().members.front();
  if (!has_in_place(first.collective) || first.algorithm->works_in_place) return;
  EXPECT_TRUE(some_fail({2, 3, 4, 6, 8, 40}, first.algorithm->needs.commutative, true))
      << "nothing is wrong where send lies in recv: works_in_place is true";
}

/// The schedules of all ranks in some situations; empty where the candidate refuses.
std::optional<std::uint64_t> course(const Bound& bound, int ranks, std::int64_t bytes) {
  const Situation situation = situation_of(bound, ranks, bytes);
  if (!bound.refusal(situation).empty()) return std::nullopt;
  if (bound.blocks(situation) < 1) return std::nullopt;
  std::uint64_t all = 0;
  for (const Schedule& one : schedules(bound, situation, 0)) all = (all * 31) + fingerprint(one);
  return all;
}

TEST_P(EveryAlgorithm, BuildsTheSameScheduleEveryTime) {
  for (const Bound& bound : GetParam().members) {
    for (const int ranks : {5, 8}) {
      const Situation situation = situation_of(bound, ranks, 20000);
      if (!bound.refusal(situation).empty()) continue;
      for (int rank = 0; rank < ranks && bound.blocks(situation) > 0; ++rank) {
        const Team team = bound.team(situation, rank);
        const std::uint64_t once = fingerprint(bound.schedule(team));
        EXPECT_TRUE(once == fingerprint(bound.schedule(team)))
            << bound.name() << ", rank " << rank << " of " << ranks << ": build is no pure function";
      }
    }
  }
}

/// Two names for one thing would be measured twice.
TEST_P(EveryAlgorithm, DoesSomethingElseUnderEveryName) {
  const std::vector<Bound>& members = GetParam().members;
  const auto alike = [](const Bound& one, const Bound& other) {
    bool served = false;
    for (const std::int64_t bytes : {std::int64_t{64}, std::int64_t{3} << 10, std::int64_t{70} << 10,
                                     std::int64_t{1} << 20, std::int64_t{40} << 20}) {
      for (const int ranks : {6, 8, 12, 16, 27, 130}) {
        const auto mine = course(one, ranks, bytes);
        if (mine != course(other, ranks, bytes)) return false;
        served = served || mine;
      }
    }
    return served;
  };
  for (auto one = members.begin(); one != members.end(); ++one)
    for (auto other = one + 1; other != members.end(); ++other)
      EXPECT_FALSE(alike(*one, *other)) << one->name() << " and " << other->name() << " are the same schedules";
}

std::string algorithm_test_name(const ::testing::TestParamInfo<Family>& tested) {
  return test_name(tested.param.name);
}

INSTANTIATE_TEST_SUITE_P(Repository, EveryAlgorithm, ::testing::ValuesIn(families()), algorithm_test_name);

}  // namespace
}  // namespace starling
