// star: native and what looks a little faster take turns before that is used.

#include <algorithm>

#include "lockstep.hpp"
#include "paper_repository.hpp"

namespace starling::testing {
namespace {

using Exchanges = std::vector<Lockstep::Exchange>;

constexpr double us = 1e-6;

Brief lone_candidates(std::vector<const char*> names) {
  Brief brief;
  for (const char* name : names) {
    Candidate candidate;
    candidate.name = candidate.group = name;
    brief.candidates.push_back(candidate);
  }
  brief.settings.iterations = 3;
  return brief;
}

TEST(StarRunOff, TakesTurnsWithNativeTenTimes) {
  Lockstep ranks("star", lone_candidates({"native", "ring", "pair"}), 3,
                 [](int, int candidate, int) { return (candidate == 2 ? 10 : 11 + candidate) * us; });
  ranks.call(9);
  EXPECT_EQ(ranks.strategy().stage(), "run_off");
  EXPECT_TRUE(ranks.strategy().exploring());
  EXPECT_TRUE(ranks.strategy().decisions().empty());
  ranks.call(20);
  for (std::size_t call = 9; call < 29; ++call) EXPECT_EQ(ranks.made()[call], (call - 9) % 2 == 0 ? 0 : 2);
  EXPECT_EQ(ranks.exchanges(), (Exchanges{{9, 9}, {29, 20}}));
  EXPECT_EQ(ranks.strategy().stage(), "monitor_adapt");
  EXPECT_EQ(ranks.proposed(), 2);
  EXPECT_EQ(ranks.strategy().decisions().front().why,
            "fastest of 3 candidates at 10.0 us (median of 10 calls in turns with another); then native at 11.0 us; "
            "pair won 10 of 10 against native");
}

TEST(StarRunOff, KeepsNativeWhereTheFastestWasLucky) {
  // One call of ring was fast, and native's first calls were slow.
  Lockstep ranks("star", lone_candidates({"native", "ring"}), 3, [](int, int candidate, int call) {
    return (call < 3 ? 12 : call == 4 ? 9 : 10 + candidate) * us;
  });
  ranks.call(6);
  EXPECT_EQ(ranks.strategy().stage(), "run_off");
  ranks.call(20);
  EXPECT_EQ(ranks.proposed(), 0);
  ASSERT_EQ(ranks.strategy().decisions().size(), 1U);
  EXPECT_EQ(ranks.strategy().decisions().front().why,
            "fastest of 2 candidates at 10.0 us (median of 10 calls in turns with another); then ring at 11.0 us; "
            "ring won 0 of 10 against native");
  ranks.call(2000);
  EXPECT_EQ(ranks.proposed(), 0) << "what lost does not come back";
}

TEST(StarRunOff, EightPairsOfTenAreEnough) {
  for (const int lost : {2, 3}) {
    // 6 calls, then pairs: ring is slower in the last `lost` of them.
    Lockstep ranks("star", lone_candidates({"native", "ring"}), 2, [lost](int, int candidate, int call) {
      return (candidate == 0 ? 10 : call < 26 - 2 * lost ? 9 : 11) * us;
    });
    ranks.call(26);
    EXPECT_EQ(ranks.proposed(), lost == 2 ? 1 : 0);
    EXPECT_EQ(ranks.strategy().stage(), "monitor_adapt");
  }
}

TEST(StarRunOff, GivesTheNextItsTurnUnlessItIsLikelyAsFlattered) {
  // Ring's best call of 8 us was luck: it takes 9.5, and loses 3 of 10 pairs. Pair is then thought to take 9.5 / 8
  // times its best call; it takes 9 us.
  const auto with_pair_at = [](double best) {
    return [best](int, int candidate, int call) {
      if (candidate == 0) return 10 * us;
      if (call < 9) return (candidate == 1 ? 8 : best) * us;
      return (candidate == 2 ? 9 : call < 23 ? 9.5 : 11) * us;
    };
  };
  const Brief brief = lone_candidates({"native", "ring", "pair"});
  Lockstep unlikely("star", brief, 2, with_pair_at(8.5));
  unlikely.call(29);
  EXPECT_EQ(unlikely.strategy().stage(), "monitor_adapt");
  EXPECT_EQ(unlikely.proposed(), 0);
  Lockstep likely("star", brief, 2, with_pair_at(8.2));
  likely.call(29);
  EXPECT_EQ(likely.strategy().stage(), "run_off");
  likely.call(20);
  EXPECT_EQ(likely.proposed(), 2);
  EXPECT_EQ(likely.strategy().decisions().front().why,
            "fastest of 3 candidates at 9.00 us (median of 10 calls in turns with another); then native at 10.0 us; "
            "ring won 7 of 10 against native, pair won 10 of 10 against native");
}

TEST(StarRunOff, EndsWithNativeAtTheThirdFailure) {
  // Each of five candidates is faster than native in 7 of 10 pairs: too few.
  Lockstep ranks("star", lone_candidates({"native", "a", "b", "c", "d", "e"}), 2, [](int, int candidate, int call) {
    const bool slow = call >= 18 && (call - 18) % 20 >= 14;
    return (candidate == 0 ? 10 : slow ? 11 : 8 + (0.1 * candidate)) * us;
  });
  ranks.call(18 + (3 * 20));
  EXPECT_EQ(ranks.strategy().stage(), "monitor_adapt");
  EXPECT_EQ(ranks.proposed(), 0);
  EXPECT_EQ(ranks.exchanges().size(), 4U) << "Measure_Select and three run-offs";
}

TEST(StarRunOff, IsNotNeededWhereNativeIsClearlySlower) {
  Lockstep ranks("star", lone_candidates({"native", "ring"}), 2,
                 [](int, int candidate, int) { return (candidate == 0 ? 15.1 : 10) * us; });
  ranks.call(6);
  EXPECT_EQ(ranks.strategy().stage(), "monitor_adapt");
  EXPECT_EQ(ranks.proposed(), 1);
}

TEST(StarRunOff, IsHeldWhereMonitorAdaptMovesOn) {
  Lockstep ranks("star", lone_candidates({"native", "ring", "pair"}), 2, [](int, int candidate, int) {
    return (candidate == 0 ? 16 : candidate == 1 ? 10 : 15) * us;
  });
  ranks.call(9);
  ASSERT_EQ(ranks.proposed(), 1);
  ranks.measure([](int, int candidate, int) { return (candidate == 0 ? 16 : candidate == 1 ? 40 : 17) * us; });
  ranks.call(6);
  EXPECT_EQ(ranks.strategy().stage(), "run_off") << "pair was 15 us, native 16";
  ranks.call(20);
  EXPECT_EQ(ranks.proposed(), 0);
  EXPECT_EQ(ranks.strategy().decisions().back().why,
            "ring slowed to 40.0 us over 6 calls (last 3: 40.0 us); pair is at 15.0 us: native is fastest at 16.0 us; "
            "pair won 0 of 10 against native");
}

TEST(StarRunOff, IsNotHeldForWhatEarlierRunsFound) {
  Brief brief = lone_candidates({"native", "ring"});
  brief.candidates[0].earlier = Earlier{10e-6, 10};
  brief.candidates[1].earlier = Earlier{9e-6, 10};
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
