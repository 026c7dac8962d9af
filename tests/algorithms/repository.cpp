// Every algorithm of the repository, proven by the checker: a new file under src/algorithms is covered as it is.

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <iostream>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "algorithms/candidate.hpp"
#include "schedule/checker.hpp"
#include "topology/random_tree.hpp"

namespace starling {
namespace {

/// Prints in the end how much was proven.
class Tally : public testing::Environment {
 public:
  static inline long runs = 0;       ///< schedules of all ranks, checked together
  static inline long schedules = 0;  ///< of single ranks
  void TearDown() override {
    const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - start_;
    std::cout << "checked " << schedules << " schedules in " << runs << " runs of all ranks; " << passed.count()
              << " s\n";
  }

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

testing::Environment* const tally = testing::AddGlobalTestEnvironment(new Tally);

std::vector<int> numbers_of_ranks() {
  std::vector<int> all;
  for (int ranks = 1; ranks <= 40; ++ranks) all.push_back(ranks);
  all.insert(all.end(), {48, 64, 96});
  return all;
}

std::set<int> roots(Collective collective, int ranks) {
  if (!rooted(collective)) return {0};
  return {0, std::min(1, ranks - 1), ranks / 2, ranks - 1};
}

/// The network of so many ranks: another random tree for each number.
const SwitchTree& tree_of(int ranks) {
  static std::map<int, SwitchTree> trees;
  return trees.try_emplace(ranks, random_tree(ranks, 1)).first->second;
}

Situation situation_of(const Bound& bound, int ranks, std::int64_t bytes) {
  return {.collective = bound.collective, .ranks = ranks, .bytes = bytes, .elements = bytes, .tree = &tree_of(ranks)};
}

/// Sizes under which the candidate serves and divides its data into different numbers of blocks.
std::vector<Situation> situations(const Bound& bound, int ranks) {
  constexpr int most_blocks = 16;
  std::map<int, Situation> by_blocks;
  for (std::int64_t bytes = 1; bytes < (std::int64_t{1} << 30); bytes *= 2) {
    const Situation situation = situation_of(bound, ranks, (3 * bytes) + 1);
    if (!bound.refusal(situation).empty()) continue;
    const int blocks = bound.blocks(situation);
    if (blocks <= most_blocks || by_blocks.size() < 2) by_blocks.emplace(blocks, situation);
  }
  std::vector<Situation> all;
  for (const auto& [blocks, situation] : by_blocks) all.push_back(situation);
  return all;
}

std::vector<Schedule> schedules(const Bound& bound, int ranks, int root, int blocks) {
  std::vector<Schedule> all;
  for (int rank = 0; rank < ranks; ++rank)
    all.push_back(
        bound.schedule({.size = ranks, .rank = rank, .root = root, .blocks = blocks, .tree = &tree_of(ranks)}));
  Tally::schedules += ranks;
  ++Tally::runs;
  return all;
}

Facts facts_of(const Bound& bound, int blocks) {
  return {.blocks = blocks,
          .commutative = bound.algorithm->needs.commutative,
          .uniform = has_uniform_blocks(bound.collective),
          .in_place = false};
}

std::vector<Bound> every_candidate() {
  std::vector<Bound> all;
  for (int i = 0; i < collective_count; ++i)
    for (const Bound& bound : candidates(static_cast<Collective>(i))) all.push_back(bound);
  return all;
}

std::string test_name(const testing::TestParamInfo<Bound>& info) {
  std::string name = std::string(name_of(info.param.collective)) + "_" + info.param.name();
  for (char& c : name)
    if (std::isalnum(static_cast<unsigned char>(c)) == 0) c = '_';
  return name;
}

class EveryCandidate : public testing::TestWithParam<Bound> {};

TEST_P(EveryCandidate, IsProvenRightByTheChecker) {
  const Bound& bound = GetParam();
  bool served = false;
  for (const int ranks : numbers_of_ranks()) {
    for (const Situation& situation : situations(bound, ranks)) {
      served = true;
      const int blocks = bound.blocks(situation);
      for (const int root : roots(bound.collective, ranks)) {
        const std::vector<Schedule> all = schedules(bound, ranks, root, blocks);
        Facts facts = facts_of(bound, blocks);
        ASSERT_EQ(check(bound.collective, all, root, facts).error, "")
            << ranks << " ranks, root " << root << ", " << blocks << " blocks";
        if (!bound.works_in_place()) continue;
        facts.in_place = true;
        ASSERT_EQ(check(bound.collective, all, root, facts).error, "")
            << "in place, " << ranks << " ranks, " << blocks << " blocks";
      }
    }
  }
  EXPECT_TRUE(served) << "no number of ranks and no size was to its liking";
}

TEST_P(EveryCandidate, UsesNoMoreScratchThanItSays) {
  const Bound& bound = GetParam();
  for (const int ranks : {1, 2, 3, 6, 8, 12, 16, 24, 32, 39}) {
    for (const Situation& situation : situations(bound, ranks)) {
      std::size_t used = 0;
      for (const Schedule& schedule : schedules(bound, ranks, 0, bound.blocks(situation))) {
        std::size_t mine = 0;
        for (const Scratch& scratch : schedule.scratch()) mine += scratch.like.size();
        used = std::max(used, mine);
      }
      const auto said = static_cast<std::size_t>(bound.scratch_blocks(situation));
      EXPECT_LE(used, said) << ranks << " ranks";
      EXPECT_EQ(used == 0, said == 0) << ranks << " ranks";
    }
  }
}

TEST_P(EveryCandidate, NeedsWhatItSaysItNeeds) {
  const Bound& bound = GetParam();
  const Needs& needs = bound.algorithm->needs;
  Situation situation = situation_of(bound, 6, 1 << 20);
  if (needs.power_of_two) {
    EXPECT_NE(bound.refusal(situation), "");
  }
  if (needs.switches) {
    situation.tree = nullptr;
    EXPECT_NE(bound.refusal(situation), "");
  }
  if (!needs.commutative) return;
  situation.commutative = false;
  EXPECT_NE(bound.refusal(situation), "");

  bool some_order_is_wrong = false;
  for (const int ranks : {4, 6, 8, 20}) {
    for (const Situation& one : situations(bound, ranks)) {
      Facts facts = facts_of(bound, bound.blocks(one));
      facts.commutative = false;
      for (const int root : roots(bound.collective, ranks)) {
        const std::vector<Schedule> all = schedules(bound, ranks, root, facts.blocks);
        some_order_is_wrong = some_order_is_wrong || !check(bound.collective, all, root, facts).right();
      }
    }
  }
  EXPECT_TRUE(some_order_is_wrong) << "it keeps the order of ranks, so it does not need a commutative operator";
}

TEST_P(EveryCandidate, BuildsForThousandsOfRanks) {
  const Bound& bound = GetParam();
  for (const Situation& situation : situations(bound, 4096)) {
    const int blocks = bound.blocks(situation);
    for (const int rank : {0, 1234, 4095})
      EXPECT_EQ(bound.schedule({.size = 4096, .rank = rank, .blocks = blocks, .tree = &tree_of(4096)}).blocks(),
                blocks);
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

INSTANTIATE_TEST_SUITE_P(Repository, EveryCandidate, testing::ValuesIn(every_candidate()), test_name);

TEST(Repository, HoldsOneAlgorithmForEachFileUnderTheFilesName) {
  const std::filesystem::path sources =
      std::filesystem::path(__FILE__).parent_path().parent_path().parent_path() / "src" / "algorithms";
  std::set<std::string> files;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(sources)) {
    const std::string folder = entry.path().parent_path().filename();
    if (entry.path().extension() == ".cpp" && collective_named(folder))
      files.insert(folder + ":" + entry.path().stem().string());
  }
  std::set<std::string> algorithms;
  for (const Algorithm& one : repository())
    algorithms.insert(std::string(name_of(one.collectives.front())) + ":" + std::string(one.name));
  EXPECT_EQ(algorithms, files);
}

TEST(Repository, GivesNoNameTwice) {
  for (int i = 0; i < collective_count; ++i) {
    std::set<std::string> names;
    for (const Bound& bound : candidates(static_cast<Collective>(i)))
      EXPECT_TRUE(names.insert(bound.name()).second)
          << collective_names[static_cast<std::size_t>(i)] << ":" << bound.name();
  }
}

TEST(Repository, DescribesEveryAlgorithm) {
  for (const Algorithm& one : repository()) {
    for (const std::string_view text : {one.says, one.source, one.group, one.latency, one.bandwidth})
      EXPECT_NE(text, "") << one.name;
    const bool combines = std::any_of(one.collectives.begin(), one.collectives.end(), reduces);
    EXPECT_EQ(combines, !one.reduction_order.empty()) << one.name;
    for (const Parameter& parameter : one.parameters) EXPECT_FALSE(parameter.values.empty()) << one.name;
  }
}

TEST(Repository, PutsCandidatesIntoOneReductionOrderOnlyIfTheirResultsAreBitwiseEqual) {
  const std::vector<int> numbers{4, 6, 8, 9, 13, 16, 27, 32};
  for (int i = 0; i < collective_count; ++i) {
    const auto collective = static_cast<Collective>(i);
    if (!reduces(collective)) continue;
    std::map<std::string, std::vector<std::uint64_t>> orders;
    for (const Bound& bound : candidates(collective)) {
      for (std::size_t number = 0; number < numbers.size(); ++number) {
        const int ranks = numbers[number];
        const Situation situation = situation_of(bound, ranks, (8 << 20) + 1);
        if (!bound.refusal(situation).empty()) continue;
        const int blocks = bound.blocks(situation);
        const std::uint64_t order =
            check(collective, schedules(bound, ranks, 0, blocks), 0, facts_of(bound, blocks)).order;
        std::vector<std::uint64_t>& known = orders[bound.reduction_order()];
        known.resize(numbers.size());
        if (known[number] == 0) known[number] = order;
        EXPECT_EQ(known[number], order) << name_of(collective) << ":" << bound.name() << " on " << ranks << " ranks";
      }
    }
    std::map<std::vector<std::uint64_t>, std::string> different;
    for (const auto& [name, order] : orders) {
      const auto [other, is_new] = different.emplace(order, name);
      EXPECT_TRUE(is_new) << name_of(collective) << ": '" << name << "' and '" << other->second
                          << "' add in the same order, so they are one class";
    }
  }
}

}  // namespace
}  // namespace starling
