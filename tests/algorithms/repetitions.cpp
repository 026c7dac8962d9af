#include "algorithms/repetitions.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "algorithms/every_candidate.hpp"

namespace starling {
namespace {

bool is_among(const std::vector<Bound>& all, const Bound& bound) {
  return std::any_of(all.begin(), all.end(), [&](const Bound& one) { return one.name() == bound.name(); });
}

/// Whether `other` does what `bound` does in every call that this one serves: a network is described, of several nodes
/// or of one.
bool does_the_same(const Bound& other, const Bound& bound, int ranks) {
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

TEST(Repetitions, AreLeftOutOnlyWhereAnotherCandidateDoesTheSame) {
  for (const int ranks : {2, 3}) {
    int left_out = 0;
    for (int i = 0; i < collective_count; ++i) {
      const auto collective = static_cast<Collective>(i);
      const std::vector<Bound> kept = candidates(collective, ranks);
      for (const Bound& bound : candidates(collective)) {
        if (!bound.is_tried_on(ranks) || is_among(kept, bound)) continue;
        ++left_out;
        EXPECT_TRUE(
            std::any_of(kept.begin(), kept.end(), [&](const Bound& one) { return does_the_same(one, bound, ranks); }))
            << full_name(bound) << " on " << ranks << " ranks";
      }
    }
    EXPECT_GT(left_out, ranks == 2 ? 100 : 50);
  }
}

TEST(Repetitions, OfTreesOfTwoRanksThereAreNone) {
  const auto trees = [](int ranks) {
    std::vector<std::string> names;
    for (const Bound& bound : candidates(Collective::bcast, ranks))
      if (bound.parameters.all().size() == 1 && bound.parameters.all().front().second == "8192" &&
          !bound.algorithm->needs.switches && bound.algorithm->name != "split_binary")
        names.emplace_back(bound.algorithm_name());
    return names;
  };
  using Names = std::vector<std::string>;
  EXPECT_EQ(trees(2), (Names{"binary"}));
  EXPECT_EQ(trees(3), (Names{"binary", "binomial", "chain"})) << "a root of two children in either order, and a row";
  EXPECT_EQ(trees(4), (Names{"binary", "binomial", "chain", "sequential"}));
}

TEST(Repetitions, ThatDifferForOperatorsOrInPlaceStay) {
  // Without segments both add in the order of ranks, and only one of them must know that the order does not matter.
  const std::vector<Bound> reduce = candidates(Collective::reduce, 2);
  EXPECT_TRUE(std::any_of(reduce.begin(), reduce.end(), [](const Bound& one) {
    return one.refusal({.collective = Collective::reduce, .ranks = 2, .bytes = 8, .elements = 1, .commutative = false})
        .empty();
  }));
  const std::vector<Bound> alltoall = candidates(Collective::alltoall, 2);
  EXPECT_TRUE(std::any_of(alltoall.begin(), alltoall.end(), [](const Bound& one) { return one.works_in_place(); }));
}

}  // namespace
}  // namespace starling
