#include "ways/alike.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "algorithms/every_candidate.hpp"
#include "ways/way.hpp"

namespace starling {
namespace {

/// Whether `other` does what `bound` does in every call that this one serves, on a network of several nodes or of one.
bool does_the_same(const Bound& other, const Bound& bound, int ranks) {
  if (other.works_in_place() != bound.works_in_place() || other.probe_up_to() != bound.probe_up_to()) return false;
  const Places one_node(std::vector<int>(static_cast<std::size_t>(ranks), 0));
  for (Situation situation : situations(bound, ranks)) {
    for (const Places* places : {situation.places, &one_node}) {
      situation.places = places;
      for (const bool commutative : {true, false}) {
        situation.commutative = commutative;
        if (!bound.refusal(situation).empty()) continue;
        if (!other.refusal(situation).empty() || other.division(situation) != bound.division(situation)) return false;
        for (const int root : roots(bound.collective, ranks))
          if (schedules(other, situation, root) != schedules(bound, situation, root)) return false;
      }
    }
  }
  return true;
}

/// Whether it needs no network: such ways are compared.
bool serves_anywhere(const Bound& bound, int ranks) {
  for (Situation situation : situations(bound, ranks)) {
    situation.places = nullptr;
    situation.tree = nullptr;
    if (bound.refusal(situation).empty()) return true;
  }
  return false;
}

/// For each way the first that does the same, which may be itself.
std::vector<std::size_t> first_of_each(Collective collective, int ranks) {
  const auto numbers = alike(collective, ranks, [](int) { return true; });
  std::vector<std::size_t> first;
  for (std::size_t i = 0; i < numbers.size(); ++i)
    first.push_back(
        numbers[i] ? static_cast<std::size_t>(std::find(numbers.begin(), numbers.end(), numbers[i]) - numbers.begin())
                   : i);
  return first;
}

TEST(Alike, AreAllThatDoTheSameAndNoOthers) {
  for (const int ranks : {2, 3}) {
    int repeated = 0;
    for (int i = 0; i < collective_count; ++i) {
      const auto collective = static_cast<Collective>(i);
      const auto all = ways(collective, ranks);
      const std::vector<std::size_t> first = first_of_each(collective, ranks);
      ASSERT_EQ(first.size(), all->size());
      std::vector<const Bound*> different;
      for (std::size_t way = 0; way < first.size(); ++way) {
        const std::size_t its_first = first[way];
        const Bound* const bound = (*all)[way].scheduled();
        if (its_first != way) {
          ++repeated;
          ASSERT_NE(bound, nullptr) << (*all)[way].name();
          EXPECT_TRUE(does_the_same(*(*all)[its_first].scheduled(), *bound, ranks)) << full_name(*bound);
        } else if (bound != nullptr && serves_anywhere(*bound, ranks)) {
          different.push_back(bound);
        }
      }
      for (const Bound* one : different)
        for (const Bound* other : different)
          EXPECT_FALSE(one < other && does_the_same(*one, *other, ranks) && does_the_same(*other, *one, ranks))
              << full_name(*one) << " and " << full_name(*other) << " on " << ranks << " ranks";
    }
    EXPECT_GT(repeated, ranks == 2 ? 100 : 50);
  }
}

TEST(Alike, AreAllTreesOfTwoRanks) {
  const auto of_trees = [](int ranks) {
    std::vector<std::string> firsts;
    const auto all = ways(Collective::bcast, ranks);
    const std::vector<std::size_t> first = first_of_each(Collective::bcast, ranks);
    for (std::size_t i = 0; i < first.size(); ++i)
      for (const char* name : {"binary", "binomial", "chain", "sequential"})
        if ((*all)[i].name() == std::string(name) + "?segment=8192")
          firsts.push_back((*all)[first[i]].algorithm_name().text());
    return firsts;
  };
  using Names = std::vector<std::string>;
  EXPECT_EQ(of_trees(2), (Names{"binary", "binary", "binary", "binary"}));
  EXPECT_EQ(of_trees(3), (Names{"binary", "binomial", "chain", "binary"})) << "a root of two children, and a row";
  EXPECT_TRUE(alike(Collective::bcast, 4, [](int) { return true; }).empty()) << "nothing is compared";
}

TEST(Alike, LooksAtNoOthersThanThoseWanted) {
  const auto numbers = alike(Collective::gather, 2, [](int way) { return way == 1; });
  for (std::size_t i = 0; i < numbers.size(); ++i) EXPECT_EQ(numbers[i].has_value(), i == 1) << i;
}

}  // namespace
}  // namespace starling
