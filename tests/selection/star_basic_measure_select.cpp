#include <algorithm>

#include "lockstep.hpp"

namespace starling::testing {
namespace {

using Exchanges = std::vector<Lockstep::Exchange>;

Brief with_refused(int count, const std::vector<std::size_t>& refused) {
  Brief brief = brief_of(count);
  for (const std::size_t index : refused) brief.candidates.own()[index].refusal = "needs a power of two of ranks";
  return brief;
}

TEST(MeasureSelect, MakesTheCallsOfTableOneAndOneExchange) {
  // STAR-MPI, table 1, basic: all-to-all above 256 bytes, all-gather, all-reduce.
  for (const auto& [candidates, calls] : {std::pair{9, 90}, std::pair{12, 120}, std::pair{20, 200}}) {
    Lockstep ranks("star-basic", brief_of(candidates), 4, slower_the_later);
    ranks.call(calls - 1);
    EXPECT_TRUE(ranks.exchanges().empty());
    EXPECT_TRUE(ranks.strategy().exploring());
    EXPECT_EQ(ranks.strategy().stage(), "measure_select");
    ranks.call();
    EXPECT_EQ(ranks.exchanges(), (Exchanges{{calls, static_cast<std::size_t>(calls)}}));
    EXPECT_FALSE(ranks.strategy().exploring());
    EXPECT_EQ(ranks.strategy().stage(), "monitor_adapt");
  }
}

TEST(MeasureSelect, TriesEachCandidateIterTimesInTurnNativeFirst) {
  Brief brief = brief_of(3);
  brief.settings.iterations = 4;
  Lockstep ranks("star-basic", brief, 2, slower_the_later);
  ranks.call(12);
  EXPECT_EQ(ranks.made(), (std::vector{0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2}));
}

TEST(MeasureSelect, HandsOutEveryTimeByCandidateAndIteration) {
  Brief brief = brief_of(2);
  brief.settings.iterations = 3;
  Lockstep ranks("star-basic", brief, 1, [](int, int, int call) { return call; });
  ranks.call(6);
  EXPECT_EQ(ranks.agreed(), (std::vector<double>{0, 1, 2, 3, 4, 5}));
}

TEST(MeasureSelect, SelectsByTheBestIterationOfTheMeanOverRanks) {
  Brief brief = brief_of(3);
  brief.settings.iterations = 2;
  // Means over the two ranks: native 5, 5; a1 9, 4; a2 6, 6 although one rank measured 1 and 2.
  const std::vector<std::vector<double>> seen{{5, 5, 9, 4, 1, 10}, {5, 5, 9, 4, 11, 2}};
  Lockstep ranks("star-basic", brief, 2, [&](int rank, int, int call) {
    return seen.at(static_cast<std::size_t>(rank)).at(static_cast<std::size_t>(call));
  });
  ranks.call(6);
  EXPECT_EQ(ranks.proposed(), 1);
}

TEST(MeasureSelect, StaysWithNativeWhereNothingIsFaster) {
  Lockstep ranks("star-basic", brief_of(5), 3, [](int, int, int) { return 1e-6; });
  ranks.call(50);
  EXPECT_EQ(ranks.proposed(), 0);
}

TEST(MeasureSelect, NeverProposesWhatIsNotEligible) {
  Lockstep ranks("star-basic", with_refused(6, {2, 3, 5}), 3,
                 [](int, int candidate, int) { return candidate == 0 ? 3e-6 : 1e-6; });
  ranks.call(500);
  EXPECT_EQ(ranks.exchanges().front(), (Lockstep::Exchange{30, 30}));
  for (const int refused : {2, 3, 5}) EXPECT_EQ(std::count(ranks.made().begin(), ranks.made().end(), refused), 0);
  EXPECT_EQ(std::count(ranks.made().begin(), ranks.made().begin() + 30, 4), 10);
}

TEST(MeasureSelect, MeasuresNothingWhereOnlyNativeIsEligible) {
  for (const Brief& brief : {brief_of(1), with_refused(4, {1, 2, 3})}) {
    Lockstep ranks("star-basic", brief, 3, slower_the_later);
    EXPECT_FALSE(ranks.strategy().exploring());
    ranks.call(5000);
    EXPECT_TRUE(ranks.exchanges().empty());
    EXPECT_TRUE(ranks.strategy().decisions().empty());
    EXPECT_EQ(ranks.strategy().stage(), "single");
    EXPECT_EQ(std::count(ranks.made().begin(), ranks.made().end(), 0), 5000);
  }
}

TEST(MeasureSelect, UsesTheOnlyEligibleCandidateWhereNativeIsExcluded) {
  Lockstep ranks("star-basic", with_refused(3, {0, 1}), 2, slower_the_later);
  ranks.call(100);
  EXPECT_EQ(std::count(ranks.made().begin(), ranks.made().end(), 2), 100);
}

TEST(MeasureSelect, GoesToNativeWhereNothingAtAllIsEligible) {
  Lockstep ranks("star-basic", with_refused(2, {0, 1}), 2, slower_the_later);
  ranks.call(100);
  EXPECT_EQ(std::count(ranks.made().begin(), ranks.made().end(), 0), 100);
}

TEST(MeasureSelect, SaysWhatItsDecisionRestsOn) {
  Lockstep ranks("star-basic", brief_of(3), 2, [](int, int candidate, int) { return (30 - 2.5 * candidate) * 1e-6; });
  ranks.call(30);
  ASSERT_EQ(ranks.strategy().decisions().size(), 1U);
  const Decision& decision = ranks.strategy().decisions().front();
  EXPECT_EQ(decision.call, 30);
  EXPECT_EQ(decision.from, -1);
  EXPECT_EQ(decision.to, 2);
  EXPECT_EQ(decision.why,
            "fastest of 3 candidates at 25.0 us (best of 10 calls); then a1 at 27.5 us, native at 30.0 us");
}

}  // namespace
}  // namespace starling::testing
