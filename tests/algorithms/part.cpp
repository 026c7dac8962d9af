#include "algorithms/part.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <stdexcept>

#include "every_candidate.hpp"
#include "sanitized.hpp"

namespace starling {
namespace {

constexpr Team one_of_four{.size = 4, .rank = 1, .division = {4}};

TEST(Part, IsTheScheduleOfARegisteredCandidate) {
  const Schedule ring = Part::named(Collective::allgather, "ring").schedule(one_of_four);
  EXPECT_EQ(ring.rounds().size(), 4U);
  EXPECT_THROW((void)Part::named(Collective::allgather, "no such"), std::out_of_range);
}

TEST(Part, HasParametersOfItsOwn) {
  const auto named = Part::find(Collective::bcast, "knomial:k=8:segment=none");
  ASSERT_TRUE(named);
  EXPECT_EQ(named->schedule(one_of_four),
            candidate_named(Collective::bcast, "knomial?k=8,segment=none")->schedule(one_of_four));
  EXPECT_FALSE(Part::find(Collective::bcast, "knomial:no_such=3"));
  EXPECT_FALSE(Part::find(Collective::bcast, "knomial:"));
}

TEST(Part, IsASubCollectiveWhereTheLibraryDoesIt) {
  const Schedule todo = Part::named(Collective::allgatherv, "native").schedule(one_of_four);
  ASSERT_EQ(todo.rounds().size(), 1U);
  ASSERT_NE(todo.rounds().front().sub(), nullptr);
  EXPECT_EQ(todo.rounds().front().sub()->collective, Collective::allgather);
  EXPECT_FALSE(Part::find(Collective::gatherv, "native")) << "it would be given counts that may not fit an int";
}

/// Each way of the repository as the value of a parameter.
std::set<std::string> all_names() {
  std::set<std::string> names{"native"};
  for (int i = 0; i < collective_count; ++i) {
    for (const Bound& bound : candidates(static_cast<Collective>(i))) {
      std::string name = bound.name();
      std::replace(name.begin(), name.end(), '?', ':');
      std::replace(name.begin(), name.end(), ',', ':');
      names.insert(std::move(name));
    }
  }
  return names;
}

/// A hierarchy with one of its parameters bound to each way that it takes, or its second part on a node to each.
std::vector<Bound> compositions(const Bound& hierarchy) {
  static const std::set<std::string> names = all_names();
  std::vector<Bound> all;
  for (const Parameter& parameter : hierarchy.algorithm->parameters) {
    if (parameter.accepts == nullptr || parameter.values_on != nullptr) continue;
    for (const std::string& name : names) {
      const std::string_view first = parameter.values.front().substr(0, parameter.values.front().find('+'));
      for (const std::string& value : {name, std::string(first).append("+").append(name)}) {
        const std::string whole =
            std::string(hierarchy.algorithm->name).append("?").append(parameter.name).append("=").append(value);
        if (std::optional<Bound> bound = candidate_named(hierarchy.collective, whole)) all.push_back(*std::move(bound));
      }
    }
  }
  return all;
}

std::vector<Bound> hierarchies() {
  std::vector<Bound> all;
  for (const Bound& bound : every_candidate()) {
    const auto& parameters = bound.algorithm->parameters;
    const bool has_parts = std::any_of(parameters.begin(), parameters.end(), [](const Parameter& one) {
      return one.accepts != nullptr && one.values_on == nullptr;
    });
    const bool known = std::any_of(all.begin(), all.end(), [&](const Bound& one) {
      return one.algorithm == bound.algorithm && one.collective == bound.collective;
    });
    if (has_parts && !known) all.push_back(bound);
  }
  return all;
}

std::vector<int> numbers_of_ranks_of_hierarchies() {
  if (testing::sanitized) return {4, 5};
  return {4, 5, 6, 7, 8, 9, 11, 12, 16, 20, 24, 32};
}

class EveryHierarchy : public ::testing::TestWithParam<Bound> {};

TEST_P(EveryHierarchy, IsProvenRightWithEveryWayOfEveryPart) {
  int proven = 0;
  int native = 0;
  for (const Bound& bound : compositions(GetParam())) {
    bool served = false;
    for (const int ranks : numbers_of_ranks_of_hierarchies()) {
      for (const Situation& situation : situations(bound, ranks)) {
        CheckedCall facts = facts_of(bound, situation);
        if (facts.blocks > 256) continue;
        if (rooted(bound.collective) && ranks <= 8) expect_all_groups_as_the_root(bound, situation);
        for (const int root : roots(bound.collective, ranks)) {
          const std::vector<Schedule> all = schedules(bound, situation, root);
          ASSERT_LE(most_scratch(all), static_cast<std::size_t>(bound.scratch_blocks(situation))) << full_name(bound);
          for (const bool in_place : {false, true}) {
            if (in_place && !bound.works_in_place()) continue;
            facts.in_place = in_place;
            ASSERT_EQ(fault(bound.collective, all, root, facts), "")
                << full_name(bound) << ", " << ranks << " ranks, root " << root << ", in place " << in_place;
          }
        }
        served = true;
      }
    }
    proven += served ? 1 : 0;
    native += served && bound.name().find("native") != std::string::npos ? 1 : 0;
  }
  EXPECT_GE(proven, 6);
  EXPECT_GE(native, has_sizes_of_pairs(GetParam().collective) || GetParam().collective == Collective::scatterv ? 0 : 2);
}

TEST(Hierarchy, RefusesDomainsOfOnePartWhereNodesHaveNone) {
  const Places places(std::vector<int>{0, 0, 1, 1});
  for (const char* name : {"domains+shared", "shared+domains", "domains"}) {
    const auto bound = candidate_named(Collective::allreduce, std::string("two_level?inner=").append(name));
    ASSERT_TRUE(bound);
    EXPECT_NE(bound->refusal(
                  {.collective = Collective::allreduce, .ranks = 4, .bytes = 64, .elements = 8, .places = &places}),
              "")
        << name;
  }
}

INSTANTIATE_TEST_SUITE_P(, EveryHierarchy, ::testing::ValuesIn(hierarchies()),
                         [](const auto& tested) { return test_name(full_name(tested.param)); });

}  // namespace
}  // namespace starling
