// star: groups in Measure_Select, and groups that Monitor_Adapt moves to.

#include <algorithm>

#include "lockstep.hpp"
#include "paper_repository.hpp"

namespace starling::testing {
namespace {

using Exchanges = std::vector<Lockstep::Exchange>;

/// Candidates 0: native; 1, 2, 3: ring, pair, spread of group A; 4, 5: bruck, mesh of group B; 6: lone.
Brief four_groups(int iterations = 10) {
  Brief brief =
      grouped({{"native", {"native"}}, {"A", {"ring", "pair", "spread"}}, {"B", {"bruck", "mesh"}}, {"C", {"lone"}}});
  brief.settings.iterations = iterations;
  return brief;
}

/// Takes each candidate the time at its place, in microseconds, on every rank.
Lockstep::Timing taking(std::vector<double> microseconds) {
  return [microseconds](int, int candidate, int) { return microseconds.at(static_cast<std::size_t>(candidate)) * us; };
}

TEST(StarGroups, MeasuresTheFirstOfEachThenTheOthersOfTheFastest) {
  Lockstep ranks("star", four_groups(2), 3, taking({30, 10, 12, 8, 20, 5, 15}));
  EXPECT_EQ(ranks.strategy().stage(), "measure_select");
  ranks.call(8);
  EXPECT_EQ(ranks.strategy().stage(), "probe_group");
  EXPECT_TRUE(ranks.strategy().exploring());
  EXPECT_TRUE(ranks.strategy().decisions().empty()) << "nothing is selected yet";
  ranks.call(4);
  EXPECT_EQ(ranks.strategy().stage(), "monitor_adapt");
  EXPECT_FALSE(ranks.strategy().exploring());
  EXPECT_EQ(ranks.made(), (std::vector{0, 0, 1, 1, 4, 4, 6, 6, 2, 2, 3, 3}));
  EXPECT_EQ(ranks.exchanges(), (Exchanges{{8, 8}, {12, 4}}));
  EXPECT_EQ(ranks.proposed(), 3) << "mesh would be faster, but the first of its group was not: the price of grouping";
}

TEST(StarGroups, AGroupOfOneIsProbedAtOnce) {
  Lockstep ranks("star", four_groups(), 3, taking({5, 10, 1, 1, 20, 1, 15}));
  ranks.call(40);
  EXPECT_EQ(ranks.proposed(), 0);
  EXPECT_EQ(ranks.strategy().stage(), "monitor_adapt");
  EXPECT_EQ(ranks.exchanges(), (Exchanges{{40, 40}}));
}

TEST(StarGroups, TheFirstEligibleStandsForItsGroup) {
  Brief brief = four_groups(1);
  for (const std::size_t refused : {1U, 3U, 6U})
    brief.candidates.own()[refused].refusal = "needs a power of two of ranks";
  Lockstep ranks("star", brief, 2, taking({30, 1, 10, 1, 20, 20, 1}));
  ranks.call(40);
  EXPECT_EQ(std::vector(ranks.made().begin(), ranks.made().begin() + 4), (std::vector{0, 2, 4, 2}))
      << "A has only pair left, C nothing";
}

TEST(StarGroups, OneGroupAloneIsMeasuredWhole) {
  Lockstep ranks("star", grouped({{"A", {"ring", "pair", "spread"}}}), 2, taking({3, 2, 1}));
  ranks.call(30);
  EXPECT_EQ(ranks.proposed(), 2);
  EXPECT_EQ(ranks.strategy().stage(), "monitor_adapt");
}

TEST(StarGroups, MeasuresNothingWhereOneCandidateIsEligible) {
  Brief brief = four_groups();
  for (std::size_t i = 1; i < brief.candidates.size(); ++i) brief.candidates.own()[i].refusal = "not here";
  Lockstep ranks("star", brief, 2, taking({1, 1, 1, 1, 1, 1, 1}));
  ranks.call(5000);
  EXPECT_TRUE(ranks.exchanges().empty());
  EXPECT_EQ(ranks.strategy().stage(), "single");
  EXPECT_EQ(std::count(ranks.made().begin(), ranks.made().end(), 0), 5000);
}

TEST(StarGroups, SaysWhichGroupWonAndWhatWasLeftOut) {
  Lockstep ranks("star", four_groups(), 2, taking({30, 10, 12, 8, 20, 5, 15}));
  ranks.call(60);
  ASSERT_EQ(ranks.strategy().decisions().size(), 1U);
  const Decision& decision = ranks.strategy().decisions().front();
  EXPECT_EQ(decision.call, 60);
  EXPECT_EQ(decision.from, -1);
  EXPECT_EQ(decision.to, 3);
  EXPECT_EQ(
      decision.why,
      "fastest of 6 candidates at 8.00 us (best of 10 calls); then ring at 10.0 us, native at 30.0 us; 1 in slower "
      "groups not measured");
}

/// Past Measure_Select, with lone (15 us) used: native takes 30, ring 40, bruck 20 us; pair, spread and mesh are
/// unknown.
Lockstep with_lone_selected() {
  Lockstep ranks("star", four_groups(), 3, taking({30, 40, 1, 1, 20, 1, 15}));
  ranks.call(40);
  EXPECT_EQ(ranks.proposed(), 6);
  EXPECT_EQ(ranks.strategy().stage(), "monitor_adapt");
  return ranks;
}

TEST(StarMonitorAdapt, ProbesAWholeGroupBeforeItMovesThere) {
  Lockstep ranks = with_lone_selected();
  ranks.measure(taking({30, 40, 1, 1, 24, 18, 50}));
  ranks.call(20);
  EXPECT_EQ(ranks.strategy().stage(), "probe_group");
  EXPECT_TRUE(ranks.strategy().exploring());
  EXPECT_EQ(ranks.strategy().decisions().size(), 1U) << "the switch is decided when the group is known";
  ranks.call(20);
  EXPECT_EQ(std::count(ranks.made().end() - 20, ranks.made().end(), 4), 10) << "bruck again: its time was old";
  EXPECT_EQ(std::count(ranks.made().end() - 20, ranks.made().end(), 5), 10);
  EXPECT_EQ(ranks.exchanges(), (Exchanges{{40, 40}, {60, 2}, {80, 20}}));
  EXPECT_EQ(ranks.strategy().stage(), "monitor_adapt");
  EXPECT_EQ(ranks.proposed(), 5);
  ASSERT_EQ(ranks.strategy().decisions().size(), 2U);
  const Decision& decision = ranks.strategy().decisions().back();
  EXPECT_EQ(decision.call, 80);
  EXPECT_EQ(decision.from, 6);
  EXPECT_EQ(decision.to, 5);
  EXPECT_EQ(
      decision.why,
      "lone slowed to 50.0 us over 20 calls (last 10: 50.0 us); bruck is at 20.0 us; measured group B (2): mesh is "
      "fastest at 18.0 us");
}

TEST(StarMonitorAdapt, JudgesByTheNewTimesOfTheProbedGroup) {
  Lockstep ranks = with_lone_selected();
  // All of B got slow as well. Now native's 30 us are the best known.
  ranks.measure(taking({30, 40, 1, 1, 60, 60, 50}));
  ranks.call(20 + 20);
  EXPECT_EQ(ranks.proposed(), 0);
  EXPECT_EQ(ranks.strategy().stage(), "monitor_adapt");
}

TEST(StarMonitorAdapt, ProbesGroupAfterGroupWhileAnUnprobedOneLooksBest) {
  Lockstep ranks = with_lone_selected();
  ranks.measure(taking({100, 40, 35, 45, 60, 70, 50}));
  ranks.call(20);  // lone's 50 us against bruck's 20
  EXPECT_EQ(ranks.strategy().stage(), "probe_group");
  ranks.call(20);  // B: 60 and 70
  EXPECT_EQ(ranks.proposed(), 0) << "known at 30 us";
  ranks.call(20);  // takes 100 us against ring's 40
  EXPECT_EQ(ranks.strategy().stage(), "probe_group");
  ranks.call(30);
  EXPECT_EQ(ranks.proposed(), 2);
  EXPECT_EQ(ranks.strategy().decisions().back().from, 0);
}

TEST(StarMonitorAdapt, MayStayWhereTheProbedGroupIsNoBetter) {
  Brief brief = grouped({{"C", {"lone"}}, {"B", {"bruck", "mesh"}}});
  Lockstep ranks("star", brief, 2, taking({15, 20, 1}));
  ranks.call(20);
  ASSERT_EQ(ranks.proposed(), 0);
  ranks.measure(taking({30, 60, 70}));
  ranks.call(20 + 20);
  EXPECT_EQ(ranks.proposed(), 0);
  EXPECT_EQ(ranks.strategy().stage(), "monitor_adapt");
  EXPECT_EQ(ranks.strategy().decisions().back().from, 0);
  EXPECT_EQ(ranks.strategy().decisions().back().to, 0);
  EXPECT_EQ(ranks.exchanges().size(), 3U);
}

TEST(StarMonitorAdapt, ProbesAGroupOnce) {
  Lockstep ranks = with_lone_selected();
  ranks.measure(taking({30, 40, 1, 1, 24, 18, 50}));
  ranks.call(20 + 20);
  ASSERT_EQ(ranks.proposed(), 5);
  ranks.measure(taking({30, 40, 1, 1, 24, 90, 50}));
  ranks.call(20);
  EXPECT_EQ(ranks.strategy().stage(), "run_off") << "bruck is second at 24 us, and its group is known";
  ranks.call(32);
  EXPECT_EQ(ranks.proposed(), 4) << "native takes 30";
  EXPECT_EQ(ranks.strategy().stage(), "monitor_adapt");
}

TEST(StarMonitorAdapt, BeginsWithTheShortestPeriodAfterAProbe) {
  Lockstep ranks = with_lone_selected();
  ranks.call(20 + 40);
  ranks.measure(taking({30, 40, 1, 1, 24, 18, 50}));
  ranks.call(80 + 20);
  ASSERT_EQ(ranks.proposed(), 5);
  ranks.call(20);
  EXPECT_EQ(ranks.exchanges(), (Exchanges{{40, 40}, {60, 2}, {100, 2}, {180, 2}, {200, 20}, {220, 2}}));
}

}  // namespace
}  // namespace starling::testing
