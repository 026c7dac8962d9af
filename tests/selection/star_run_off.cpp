// star: native and a candidate that looks a little faster take turns before the latter is used.

#include <algorithm>

#include "lockstep.hpp"
#include "paper_repository.hpp"

namespace starling::testing {
namespace {

using Exchanges = std::vector<Lockstep::Exchange>;

Brief lone_candidates(std::vector<const char*> names) {
  Brief brief;
  for (const char* name : names) {
    Candidate candidate;
    candidate.name = candidate.group = name;
    brief.candidates.own().push_back(candidate);
  }
  brief.settings.iterations = 3;
  return brief;
}

constexpr int calls_of_run_off = 32;

TEST(StarRunOff, TakesTurnsWithNative) {
  Lockstep ranks("star", lone_candidates({"native", "ring", "pair"}), 3,
                 [](int, int candidate, int) { return (candidate == 2 ? 10 : 11 + candidate) * us; });
  ranks.call(9);
  EXPECT_EQ(ranks.strategy().stage(), "run_off");
  EXPECT_TRUE(ranks.strategy().exploring());
  EXPECT_TRUE(ranks.strategy().decisions().empty());
  ranks.call(calls_of_run_off);
  EXPECT_EQ(std::vector(ranks.made().begin() + 9, ranks.made().begin() + 17), (std::vector{0, 2, 2, 0, 2, 0, 0, 2}));
  EXPECT_EQ(ranks.exchanges(), (Exchanges{{9, 9}, {41, 32}}));
  EXPECT_EQ(ranks.strategy().stage(), "monitor_adapt");
  EXPECT_EQ(ranks.proposed(), 2);
  EXPECT_EQ(
      ranks.strategy().decisions().front().why,
      "fastest of 3 candidates at 10.0 us (in a run-off); then native at 11.0 us; pair won 8 of 8 against native");
}

TEST(StarRunOff, KeepsNativeWhereTheFastestWasLucky) {
  // One call of ring was fast, and native's first calls were slow.
  Lockstep ranks("star", lone_candidates({"native", "ring"}), 3, [](int, int candidate, int call) {
    return (call < 3 ? 12 : call == 4 ? 9 : 10 + candidate) * us;
  });
  ranks.call(6);
  EXPECT_EQ(ranks.strategy().stage(), "run_off");
  ranks.call(calls_of_run_off);
  EXPECT_EQ(ranks.proposed(), 0);
  ASSERT_EQ(ranks.strategy().decisions().size(), 1U);
  EXPECT_EQ(ranks.strategy().decisions().front().why,
            "fastest of 2 candidates at 10.0 us (in a run-off); then ring at 11.0 us; ring won 0 of 8 against native");
  ranks.call(2000);
  EXPECT_EQ(ranks.proposed(), 0);
}

TEST(StarRunOff, IsHeldAgainWhenTheNetworkHasChanged) {
  Lockstep ranks("star", lone_candidates({"native", "ring"}), 3,
                 [](int, int candidate, int call) { return (call < 6 ? 12 - candidate : 10 + candidate) * us; });
  ranks.call(6 + calls_of_run_off);
  ASSERT_EQ(ranks.proposed(), 0);
  ranks.measure([](int, int candidate, int) { return 1.25 * (10 + candidate) * us; });
  ranks.call(6);
  EXPECT_EQ(ranks.strategy().stage(), "run_off") << "native is slower than ring was";
  ranks.call(calls_of_run_off);
  EXPECT_EQ(ranks.proposed(), 0);
}

TEST(StarRunOff, IgnoresPatternsOfTheProgramsCalls) {
  // Every other call waits for a late rank, ten times as long as native takes.
  for (const int late : {0, 1}) {
    Lockstep ranks("star", lone_candidates({"native", "ring", "pair"}), 3, [late](int, int candidate, int call) {
      return ((candidate == 0 ? 10 : 7 + candidate) + (call % 2 == late ? 100 : 0)) * us;
    });
    ranks.call(9);
    ASSERT_EQ(ranks.strategy().stage(), "run_off");
    ranks.call(calls_of_run_off);
    EXPECT_EQ(ranks.proposed(), 1);
  }
}

TEST(StarRunOff, SevenUnitsOfEightAreEnough) {
  for (const int lost : {1, 2}) {
    // Ring is slower in the last `lost` units of 4 calls.
    Lockstep ranks("star", lone_candidates({"native", "ring"}), 2, [lost](int, int candidate, int call) {
      return (candidate == 0 ? 10 : call < 6 + calls_of_run_off - (4 * lost) ? 9 : 11) * us;
    });
    ranks.call(6 + calls_of_run_off);
    EXPECT_EQ(ranks.proposed(), lost == 1 ? 1 : 0);
    EXPECT_EQ(ranks.strategy().stage(), "monitor_adapt");
  }
}

TEST(StarRunOff, SelectsTheWinnerEvenIfOthersLookedFaster) {
  // Ring's best call was 8 us and pair's 8.05; both take 9.
  Lockstep ranks("star", lone_candidates({"native", "ring", "pair"}), 2, [](int, int candidate, int call) {
    if (candidate == 0) return 10 * us;
    return (call == 3 ? 8 : call == 6 ? 8.05 : 9) * us;
  });
  ranks.call(9 + calls_of_run_off);
  EXPECT_EQ(ranks.strategy().stage(), "monitor_adapt");
  EXPECT_EQ(ranks.proposed(), 1);
}

TEST(StarRunOff, TriesTheNextUnlessItsBestTimeWasLikelyLuckToo) {
  // Ring's best call of 8 us was luck: it takes 10.5. Pair's best call was luck too, or it takes 9 us.
  const auto with_pair_at = [](double usual) {
    return [usual](int, int candidate, int call) {
      if (candidate == 0) return 10 * us;
      if (candidate == 1) return (call == 3 ? 8 : 10.5) * us;
      return (call == 6 ? 8.5 : usual) * us;
    };
  };
  const Brief brief = lone_candidates({"native", "ring", "pair"});
  Lockstep unlikely("star", brief, 2, with_pair_at(10.5));
  unlikely.call(9 + calls_of_run_off);
  EXPECT_EQ(unlikely.strategy().stage(), "monitor_adapt");
  EXPECT_EQ(unlikely.proposed(), 0);
  Lockstep likely("star", brief, 2, with_pair_at(9));
  likely.call(9 + calls_of_run_off);
  EXPECT_EQ(likely.strategy().stage(), "run_off");
  likely.call(calls_of_run_off);
  EXPECT_EQ(likely.proposed(), 2);
  EXPECT_EQ(
      likely.strategy().decisions().front().why,
      "fastest of 3 candidates at 9.00 us (in a run-off); then native at 10.0 us; ring won 0 of 8 against native, "
      "pair won 8 of 8 against native");
}

TEST(StarRunOff, EndsWithNativeAtTheThirdFailure) {
  // Each of five candidates is faster than native in 6 of 8 units: too few.
  Lockstep ranks("star", lone_candidates({"native", "a", "b", "c", "d", "e"}), 2, [](int, int candidate, int call) {
    const bool slow = call >= 18 && (call - 18) % calls_of_run_off >= 24;
    return (candidate == 0 ? 10 : slow ? 11 : 8 + (0.1 * candidate)) * us;
  });
  ranks.call(18 + (3 * calls_of_run_off));
  EXPECT_EQ(ranks.strategy().stage(), "monitor_adapt");
  EXPECT_EQ(ranks.proposed(), 0);
  EXPECT_EQ(ranks.exchanges().size(), 4U) << "Measure_Select and three run-offs";
}

TEST(StarRunOff, TellsLaterRunsOnlyWhatWasShown) {
  Lockstep ranks("star", lone_candidates({"native", "ring", "pair"}), 2, [](int, int candidate, int call) {
    return (candidate == 0 ? 10 : call < 9 ? 8 + (0.5 * candidate) : 11) * us;
  });
  ranks.call(9 + calls_of_run_off);
  if (ranks.strategy().stage() == "run_off") ranks.call(calls_of_run_off);
  ASSERT_EQ(ranks.proposed(), 0);
  for (const int candidate : {1, 2})
    EXPECT_GT(ranks.strategy().found(candidate)->seconds, ranks.strategy().found(0)->seconds);
}

TEST(StarRunOff, IsNotNeededWhereNativeIsClearlySlower) {
  Lockstep ranks("star", lone_candidates({"native", "ring"}), 2,
                 [](int, int candidate, int) { return (candidate == 0 ? 15.1 : 10) * us; });
  ranks.call(6);
  EXPECT_EQ(ranks.strategy().stage(), "monitor_adapt");
  EXPECT_EQ(ranks.proposed(), 1);
}

TEST(StarRunOff, IsHeldWhereMonitorAdaptSwitches) {
  Lockstep ranks("star", lone_candidates({"native", "ring", "pair"}), 2, [](int, int candidate, int) {
    return (candidate == 0 ? 16 : candidate == 1 ? 10 : 15) * us;
  });
  ranks.call(9);
  ASSERT_EQ(ranks.proposed(), 1);
  ranks.measure([](int, int candidate, int) { return (candidate == 0 ? 16 : candidate == 1 ? 40 : 17) * us; });
  ranks.call(6);
  EXPECT_EQ(ranks.strategy().stage(), "run_off") << "pair was 15 us, native 16";
  ranks.call(calls_of_run_off);
  EXPECT_EQ(ranks.proposed(), 0);
  EXPECT_EQ(ranks.strategy().decisions().back().why,
            "ring slowed to 40.0 us over 6 calls (last 3: 40.0 us); pair is at 15.0 us: native is fastest at 16.0 us; "
            "pair won 0 of 8 against native");
}

TEST(StarRunOff, IsNotHeldForWhatEarlierRunsFound) {
  Brief brief = lone_candidates({"native", "ring"});
  brief.candidates.own()[0].earlier = Earlier{10e-6, 10};
  brief.candidates.own()[1].earlier = Earlier{9e-6, 10};
  Lockstep ranks("star", brief, 2, [](int, int candidate, int) { return (10 - candidate) * us; });
  EXPECT_EQ(ranks.proposed(), 1);
  EXPECT_EQ(ranks.strategy().stage(), "monitor_adapt");
}

TEST(StarRunOff, IsNotPartOfTheBasicAlgorithm) {
  Lockstep ranks("star-basic", lone_candidates({"native", "ring"}), 2,
                 [](int, int candidate, int) { return (10 - candidate) * us; });
  ranks.call(6);
  EXPECT_EQ(ranks.proposed(), 1);
  EXPECT_EQ(ranks.strategy().stage(), "monitor_adapt");
}

}  // namespace
}  // namespace starling::testing
