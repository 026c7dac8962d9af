// Every algorithm of the repository, proven by the checker: new files under src/algorithms are covered automatically.

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <iostream>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "every_candidate.hpp"
#include "sanitized.hpp"
#include "sources.hpp"

namespace starling {
namespace {

/// Prints at the end how much was proven.
class PrintsTally : public ::testing::Environment {
 public:
  void TearDown() override {
    const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - start_;
    std::cout << "checked " << Tally::schedules << " schedules in " << Tally::runs << " runs of all ranks; "
              << passed.count() << " s\n";
  }

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

::testing::Environment* const tally = ::testing::AddGlobalTestEnvironment(new PrintsTally);

/// Numbers of ranks with all cases of a candidate, and larger ones with one case, where that is quick.
struct Numbers {
  std::vector<int> in_full;
  std::vector<int> larger;
};

Numbers numbers_of_ranks() {
  if (testing::sanitized) return {.in_full = {1, 2, 3, 4, 6}, .larger = {}};
  Numbers numbers{.in_full = {}, .larger = {128, 257, 512}};
  for (int ranks = 1; ranks <= 40; ++ranks) numbers.in_full.push_back(ranks);
  numbers.in_full.insert(numbers.in_full.end(), {48, 64, 96});
  return numbers;
}

/// Blocks that a rank sends, receives, copies and combines.
std::int64_t work_in(const Schedule& schedule) {
  std::int64_t blocks = 0;
  for (const Round& round : schedule.rounds()) {
    for (const Transfer& one : round.receives()) blocks += 1 + one.blocks.count;
    for (const Transfer& one : round.sends()) blocks += 1 + one.blocks.count;
    for (const Local& one : round.locals()) blocks += 1 + one.into.count;
    if (round.sub() != nullptr) blocks += 1 + round.sub()->into.count;
    if (round.sharing() == nullptr) continue;
    for (const Publication& one : round.sharing()->publications) blocks += std::ssize(one.readers) + one.from.count;
    for (const Take& one : round.sharing()->takes) blocks += 1 + one.into.count;
  }
  return blocks;
}

/// Whether the checker is quick on that many ranks, judged by three of them. It is not for algorithms that follow
/// switches: each rank searches for its place.
bool is_quick(const Bound& bound, int ranks, const Situation& situation) {
  constexpr std::int64_t most_work = 1 << 18;
  if (bound.algorithm->needs.switches) return false;
  std::int64_t most = 0;
  for (const int rank : {0, ranks / 2, ranks - 1})
    most = std::max(most, work_in(bound.schedule(bound.team(situation, rank))));
  return most * ranks <= most_work;
}

class EveryCandidate : public ::testing::TestWithParam<Bound> {};

void prove_one(const Bound& bound, const Situation& situation, int root) {
  const int blocks = bound.blocks(situation);
  const std::vector<Schedule> all = schedules(bound, situation, root);
  CheckedCall facts = facts_of(bound, situation);
  ASSERT_EQ(fault(bound.collective, all, root, facts), "")
      << full_name(bound) << ", " << situation.ranks << " ranks, root " << root << ", " << blocks << " blocks";
  if (!bound.works_in_place()) return;
  facts.in_place = true;
  ASSERT_EQ(fault(bound.collective, all, root, facts), "")
      << full_name(bound) << " in place, " << situation.ranks << " ranks, " << blocks << " blocks";
}

TEST_P(EveryCandidate, IsProvenRightByTheChecker) {
  const Bound& bound = GetParam();
  bool served = false;
  const auto prove = [&](const Situation& situation, int root) {
    served = true;
    prove_one(bound, situation, root);
  };
  const Numbers numbers = numbers_of_ranks();
  for (const int ranks : numbers.in_full) {
    for (const Situation& situation : situations(bound, ranks)) {
      for (const int root : roots(bound.collective, ranks)) {
        prove(situation, root);
        if (HasFatalFailure()) return;
      }
    }
  }
  for (const int ranks : numbers.larger) {
    const std::vector<Situation> all = situations(bound, ranks);
    if (!all.empty() && is_quick(bound, ranks, all.front()))
      prove(all.front(), rooted(bound.collective) ? ranks - 1 : 0);
    if (HasFatalFailure()) return;
  }
  // One that needs some other number, as a radix of 16 does.
  for (int ranks = 1; ranks <= 40 && !served; ++ranks)
    for (const Situation& situation : situations(bound, ranks)) prove(situation, 0);
  EXPECT_TRUE(served) << "no number of ranks and no size was to its liking";
}

TEST_P(EveryCandidate, UsesNoMoreScratchThanItSays) {
  const Bound& bound = GetParam();
  for (const int ranks : {1, 2, 3, 6, 8, 12, 16, 24, 32, 39}) {
    if (testing::sanitized && ranks > 16) break;
    for (const Situation& situation : situations(bound, ranks)) {
      std::size_t used = 0;
      for (const int root : roots(bound.collective, ranks))
        used = std::max(used, most_scratch(schedules(bound, situation, root)));
      const auto said = static_cast<std::size_t>(bound.scratch_blocks(situation));
      EXPECT_LE(used, said) << ranks << " ranks";
      EXPECT_EQ(used == 0, said == 0) << ranks << " ranks";
    }
  }
}

TEST_P(EveryCandidate, BuildsForThousandsOfRanks) {
  const Bound& bound = GetParam();
  const int ranks = testing::sanitized ? 256 : 4096;
  const std::vector<Situation> all = situations(bound, ranks);
  if (all.empty()) return;
  for (const Situation& situation : {all.front(), all.back()}) {
    for (const int rank : {0, ranks / 3, ranks - 1})
      EXPECT_EQ(bound.schedule(bound.team(situation, rank)).blocks(), bound.blocks(situation));
  }
}

/// `refuses` must exclude too many segments or phases.
TEST_P(EveryCandidate, HasAScheduleOfBoundedSizeBelowOneGibibyte) {
  constexpr std::size_t most_rounds = 100000;
  constexpr std::size_t most_messages = 300000;
  const Bound& bound = GetParam();
  // It takes a while to look at all switches.
  const int ranks = bound.algorithm->needs.switches || testing::sanitized ? 256 : 1024;
  std::optional<Situation> worst;
  for (std::int64_t bytes = 1; bytes <= std::int64_t{1} << 30; bytes *= 2) {
    const Situation situation = situation_of(bound, ranks, bytes);
    if (!bound.refusal(situation).empty()) continue;
    // Of two sizes with equally many blocks the larger has fewer in a message.
    if (!worst || bound.blocks(situation) >= bound.blocks(*worst)) worst = situation;
  }
  if (!worst) return;
  const int most_blocks = bound.blocks(*worst);
  for (const int rank : {0, 1, ranks - 1}) {
    const Schedule todo = bound.schedule(bound.team(*worst, rank));
    std::size_t messages = 0;
    for (const Round& round : todo.rounds()) messages += round.receives().size() + round.sends().size();
    EXPECT_LE(todo.rounds().size(), most_rounds) << "rank " << rank << ", " << most_blocks << " blocks";
    EXPECT_LE(messages, most_messages) << "rank " << rank << ", " << most_blocks << " blocks";
  }
}

TEST_P(EveryCandidate, IsFoundByItsName) {
  const Bound& bound = GetParam();
  const auto found = candidate_named(bound.collective, bound.name());
  ASSERT_TRUE(found);
  EXPECT_EQ(found->algorithm, bound.algorithm);
  EXPECT_EQ(found->synchronisation, bound.synchronisation);
  EXPECT_EQ(found->parameters, bound.parameters);
}

std::string candidate_test_name(const ::testing::TestParamInfo<Bound>& tested) {
  return test_name(full_name(tested.param));
}

/// Candidates with values that only some numbers of ranks have: every mesh.
TEST(Repository, IsRightWithValuesThatDependOnTheNumberOfRanks) {
  std::map<std::string, int> proven;
  for (const int ranks : numbers_of_ranks().in_full) {
    for (int i = 0; i < collective_count; ++i) {
      for (const Bound& bound : candidates(static_cast<Collective>(i), ranks)) {
        const auto& parameters = bound.algorithm->parameters;
        const auto depends = [](const Parameter& one) { return one.values_on != nullptr; };
        if (std::none_of(parameters.begin(), parameters.end(), depends)) continue;
        ASSERT_TRUE(bound.is_tried_on(ranks)) << full_name(bound);
        ASSERT_EQ(candidate_named(bound.collective, bound.name())->parameters, bound.parameters);
        for (const Situation& situation : situations(bound, ranks)) {
          ++proven[std::string(name_of(bound.collective)).append(":").append(bound.algorithm->name)];
          for (const int root : roots(bound.collective, ranks)) prove_one(bound, situation, root);
          if (HasFatalFailure()) return;
        }
      }
    }
  }
  for (const auto& [name, times] : proven) EXPECT_GE(times, 3) << name;
  EXPECT_GT(proven.size(), 3U);
}

/// Numbers of ranks with a mesh of their own have uneven ones too, by name.
TEST(Repository, IsRightOnMeshesWithAShortLastRow) {
  const std::map<std::string, std::vector<int>> meshes{{"3x3", {7, 8}}, {"2x5", {6, 8, 9}}, {"4x4", {13, 14, 15}}};
  for (const auto& [mesh, numbers] : meshes) {
    for (const char* name :
         {"bcast:groups", "reduce:groups", "gather:groups", "scatter:groups", "allreduce:groups_leader",
          "allgather:groups_leader", "allgatherv:groups_leader", "alltoall:groups_leader",
          "reduce_scatter:groups_leader", "reduce_scatter_block:groups_leader"}) {
      const std::string full(name);
      const Collective collective = collective_named(full.substr(0, full.find(':'))).value();
      const auto bound = candidate_named(collective, full.substr(full.find(':') + 1) + "?mesh=" + mesh);
      ASSERT_TRUE(bound);
      for (const int ranks : numbers)
        for (int root = 0; root < (rooted(collective) ? ranks : 1); ++root)
          prove_one(*bound, situation_of(*bound, ranks, 64), root);
      EXPECT_NE(bound->refusal(situation_of(*bound, 31, 64)), "");
    }
    EXPECT_FALSE(candidate_named(Collective::alltoall, "groups?mesh=" + mesh)
                     ->refusal({Collective::alltoall, 8, 64, 64})
                     .empty());
  }
}

TEST_P(EveryCandidate, JoinsAllItsGroupsAsTheRoot) {
  const Bound& bound = GetParam();
  if (!rooted(bound.collective)) return;
  for (const int ranks : {5, 6, 7, 8, 11, 12}) {
    const Situation situation = situation_of(bound, ranks, 64);
    if (bound.refusal(situation).empty()) expect_all_groups_as_the_root(bound, situation);
  }
}

INSTANTIATE_TEST_SUITE_P(Repository, EveryCandidate, ::testing::ValuesIn(every_candidate()), candidate_test_name);

TEST(Repository, HoldsOneAlgorithmForEachFileUnderTheFilesName) {
  const std::filesystem::path sources = source_root() / "src" / "algorithms";
  std::set<std::string> files;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(sources)) {
    const std::string folder = entry.path().parent_path().filename();
    if (entry.path().extension() == ".cpp" && collective_named(folder))
      files.insert(folder + ":" + entry.path().stem().string());
  }
  std::set<std::string> algorithms;
  for (const Algorithm& one : repository()) {
    ASSERT_FALSE(one.collectives.empty()) << one.name << ": collectives is empty";
    algorithms.insert(std::string(name_of(one.collectives.front())) + ":" + std::string(one.name));
  }
  std::vector<std::string> differing;
  std::set_symmetric_difference(algorithms.begin(), algorithms.end(), files.begin(), files.end(),
                                std::back_inserter(differing));
  EXPECT_EQ(differing, std::vector<std::string>{}) << "descriptors without a file of that name, or files without one";
}

TEST(Repository, GivesNoNameTwice) {
  for (int i = 0; i < collective_count; ++i) {
    std::set<std::string> names;
    for (const Bound& bound : candidates(static_cast<Collective>(i)))
      EXPECT_TRUE(names.insert(bound.name()).second) << full_name(bound);
  }
}

TEST(Repository, DescribesEveryAlgorithm) {
  for (const Algorithm& one : repository()) {
    const auto empty = [&](const char* field) { return std::string(one.name) + ": " + field + " is empty"; };
    EXPECT_FALSE(one.name.empty()) << "a name is empty: " << one.says;
    EXPECT_FALSE(one.collectives.empty()) << empty("collectives");
    EXPECT_FALSE(one.says.empty()) << empty("says");
    EXPECT_FALSE(one.source.empty()) << empty("source");
    EXPECT_FALSE(one.group.empty()) << empty("group");
    EXPECT_FALSE(one.latency.empty()) << empty("latency");
    EXPECT_FALSE(one.bandwidth.empty()) << empty("bandwidth");
    EXPECT_FALSE(one.synchronisations.empty()) << empty("synchronisations");
    EXPECT_TRUE(one.build != nullptr) << empty("build");
    const bool combines = std::any_of(one.collectives.begin(), one.collectives.end(), reduces);
    EXPECT_EQ(combines, !one.reduction_order.empty())
        << one.name << ": reduction_order is for algorithms that reduce, and for all of them";
    for (const Parameter& parameter : one.parameters)
      EXPECT_FALSE(parameter.values.empty()) << one.name << ": parameter " << parameter.name << " has no values";
  }
}

/// The order in which a candidate adds on some numbers of ranks; 0 where it does not serve or is wrong, which other
/// tests check.
std::vector<std::uint64_t> orders(const Bound& bound) {
  std::vector<std::uint64_t> all;
  for (const int ranks : {4, 6, 8, 9, 13, 16, 27, 32}) {
    const Situation situation = situation_of(bound, ranks, (8 << 20) + 1);
    const int blocks = bound.refusal(situation).empty() ? bound.blocks(situation) : 0;
    all.push_back(
        blocks < 1 ? 0 : check(bound.collective, schedules(bound, situation, 0), 0, facts_of(bound, situation)).order);
  }
  return all;
}

/// Candidates that claim the same order of adding.
struct OrderClass {
  std::string first;
  std::vector<std::uint64_t> orders;  ///< 0 where none of them serves

  /// Adds a candidate; returns false if it adds in another order.
  bool add(const std::vector<std::uint64_t>& more) {
    bool same = true;
    for (std::size_t i = 0; i < orders.size(); ++i) {
      if (orders[i] == 0) orders[i] = more[i];
      same = same && (more[i] == 0 || more[i] == orders[i]);
    }
    return same;
  }
};

TEST(Repository, PutsCandidatesIntoOneReductionOrderOnlyIfTheirResultsAreBitwiseEqual) {
  std::map<std::pair<Collective, std::string>, OrderClass> classes;
  for (const Bound& bound : every_candidate()) {
    if (!reduces(bound.collective)) continue;
    const std::vector<std::uint64_t> mine = orders(bound);
    if (std::all_of(mine.begin(), mine.end(), [](std::uint64_t order) { return order == 0; })) continue;
    OrderClass& claimed =
        classes.try_emplace({bound.collective, bound.reduction_order()}, OrderClass{full_name(bound), mine})
            .first->second;
    EXPECT_TRUE(claimed.add(mine)) << full_name(bound) << " and " << claimed.first
                                   << " add in different orders, and both say '" << bound.reduction_order() << "'";
  }
  for (auto one = classes.begin(); one != classes.end(); ++one) {
    for (auto other = std::next(one); other != classes.end() && other->first.first == one->first.first; ++other) {
      EXPECT_FALSE(one->second.orders == other->second.orders)
          << one->second.first << " and " << other->second.first << " add in the same order, so '" << one->first.second
          << "' and '" << other->first.second << "' are one class";
    }
  }
}

}  // namespace
}  // namespace starling
