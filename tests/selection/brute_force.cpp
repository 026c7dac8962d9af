#include <gtest/gtest.h>

#include <array>

#include "halo_set.hpp"

namespace starling::testing {
namespace {

constexpr int ms_10 = 10;

double milliseconds_the_later(int /*rank*/, int candidate, int /*call*/) {
  return 1e-3 * (ms_10 + candidate);
}

Brief as_published(Brief brief) {
  brief.settings.give_up = false;
  return brief;
}

TEST(BruteForce, AsPublishedMakesAllCallsOfEachInTurnAndAgreesOnceForEach) {
  Lockstep ranks("brute-force", as_published(brief_of(5)), 3,
                 [](int rank, int candidate, int) { return 1e-3 * (candidate == 3 ? 5 : 10 + rank); });
  ranks.call(50);
  for (int call = 0; call < 50; ++call) EXPECT_EQ(ranks.made()[static_cast<std::size_t>(call)], call / 10);
  ASSERT_EQ(ranks.exchanges().size(), 5U);
  for (int i = 0; i < 5; ++i) EXPECT_EQ(ranks.exchanges()[static_cast<std::size_t>(i)].call, 10 * (i + 1));
  EXPECT_EQ(ranks.proposed(), 3);
  EXPECT_EQ(ranks.strategy().stage(), "monitor");
  EXPECT_TRUE(ranks.strategy().settled());
  ASSERT_EQ(ranks.strategy().decisions().size(), 1U);
  EXPECT_EQ(ranks.strategy().decisions()[0].why, "fastest of 5 candidates: a3 at 5.00 ms, then native at 12.0 ms");
  EXPECT_EQ(ranks.strategy().decisions()[0].call, 50);
}

TEST(BruteForce, TakesAsManyCallsAsTheSettingsSay) {
  Brief brief = as_published(brief_of(3));
  brief.settings.iterations = 4;
  Lockstep ranks("brute-force", brief, 2, milliseconds_the_later);
  ranks.call(12);
  EXPECT_EQ(ranks.proposed(), 0);
  EXPECT_FALSE(ranks.strategy().exploring());
  brief.settings.iterations = 1;
  Lockstep once("brute-force", brief, 2, milliseconds_the_later);
  once.call(3);
  EXPECT_FALSE(once.strategy().exploring());
}

TEST(BruteForce, GivesUpWhatIsClearlySlowerAfterOneCall) {
  Lockstep ranks("brute-force", brief_of(6), 2,
                 [](int, int candidate, int) { return 1e-3 * (candidate == 2 ? 10 : 40 + candidate); });
  ranks.call(60);
  EXPECT_EQ(ranks.proposed(), 2);
  for (const int slow : {1, 3, 4, 5}) EXPECT_EQ(tries_of(ranks, slow), 1) << slow;
  EXPECT_EQ(tries_of(ranks, 0), 2) << "the first call of all does not count";
  EXPECT_EQ(ranks.strategy().decisions()[0].why,
            "fastest of 6 candidates: a2 at 10.0 ms, then native at 40.0 ms; 5 clearly slower after a few calls");
}

TEST(BruteForce, DoesNotGiveUpTheFirstOneBecauseItMakesTheFirstCallOfAll) {
  const auto slow_at_first = [](int, int candidate, int call) {
    return call == 0 ? 10e-3 : 1e-3 * (1 + (0.1 * candidate));
  };
  for (const char* strategy : {"brute-force", "attribute", "factorial"}) {
    Lockstep ranks(strategy, brief_of(4), 2, slow_at_first);
    ranks.call(60);
    EXPECT_FALSE(ranks.strategy().exploring()) << strategy;
    EXPECT_EQ(ranks.proposed(), 0) << strategy;
  }
}

TEST(BruteForce, AgreesOnceOnAllThatMayBeMeasuredNext) {
  constexpr std::array<double, 4> seconds{10e-3, 10.1e-3, 11.3e-3, 30e-3};
  Lockstep ranks("brute-force", brief_of(4), 2,
                 [&](int, int candidate, int) { return seconds[static_cast<std::size_t>(candidate)]; });
  ranks.call(5 + 9 + 2 + 9);
  ASSERT_EQ(ranks.exchanges().size(), 2U);
  EXPECT_EQ(ranks.exchanges()[0].call, 5) << "one call of each, behind one that does not count";
  EXPECT_EQ(ranks.exchanges()[1].call, 25);
  EXPECT_EQ(tries_of(ranks, 0), 11) << "the fastest gets what it lacks along with the others";
  EXPECT_EQ(tries_of(ranks, 1), 10) << "all its calls lose less than an agreement takes";
  EXPECT_EQ(tries_of(ranks, 2), 3) << "it may be as fast";
  EXPECT_EQ(tries_of(ranks, 3), 1);
}

TEST(BruteForce, SlowestRankCounts) {
  // Candidate 1 is the faster one on two of three ranks.
  Lockstep ranks("brute-force", as_published(brief_of(2)), 3, [](int rank, int candidate, int) {
    return candidate == 0 ? 10e-3 : rank == 2 ? 12e-3 : 5e-3;
  });
  ranks.call(20);
  EXPECT_EQ(ranks.proposed(), 0);
}

/// One of ten calls takes so many times as long with candidate 1, which is the faster one otherwise.
Lockstep chosen_with(double times, const StrategySettings& settings) {
  Brief brief = as_published(brief_of(2));
  brief.settings = settings;
  brief.settings.give_up = false;
  Lockstep ranks("brute-force", brief, 2, [=](int, int candidate, int call) {
    return candidate == 0 ? 10e-3 : 8e-3 * (call % 10 == 4 ? times : 1);
  });
  ranks.call(20);
  return ranks;
}

TEST(BruteForce, LeavesOutOutliersByTheSettings) {
  StrategySettings settings;
  EXPECT_EQ(chosen_with(5, settings).proposed(), 1) << "one of ten calls is an outlier and does not count";
  settings.outlier_fraction = 0.1;
  EXPECT_EQ(chosen_with(5, settings).proposed(), 0) << "10 % are not fewer than 10 %";
  settings.outlier_fraction = 0.2;
  settings.outlier_factor = 6;
  EXPECT_EQ(chosen_with(5, settings).proposed(), 0) << "5 times the smallest is not an outlier";
  EXPECT_EQ(chosen_with(6.1, settings).proposed(), 1);
}

TEST(BruteForce, IsRightWhereARankIsLateByTenTimesTheCollective) {
  for (const bool synchronises : {false, true})
    for (const bool gives_up : {false, true}) {
      Brief brief = halo_set();
      brief.synchronises = synchronises;
      brief.settings.give_up = gives_up;
      Case one = made_up_case(brief, 1.4, 0.3, 5);
      const double best = one.best();
      Lockstep ranks("brute-force", brief, 4, [&](int rank, int candidate, int call) {
        return one.at(0, candidate, call) + (rank == 3 ? 0 : 10 * best);
      });
      ranks.call(300);
      EXPECT_FALSE(ranks.strategy().exploring());
      EXPECT_LT(one.ratio(ranks.proposed()), 1.02) << synchronises << gives_up;
    }
}

TEST(BruteForce, NeverAsksForWhatIsRefused) {
  Brief brief = halo_set();
  for (const int refused : {1, 5, 19}) brief.candidates.own()[static_cast<std::size_t>(refused)].refusal = "cannot be";
  Lockstep ranks("brute-force", brief, 2, milliseconds_the_later);
  ranks.call(500);
  for (const int refused : {1, 5, 19}) EXPECT_EQ(tries_of(ranks, refused), 0);
  EXPECT_EQ(tried_of(ranks, 20), 17);
}

TEST(BruteForce, AsksOnceForWhatTurnsOutUnableToServe) {
  for (const bool gives_up : {false, true}) {
    Brief brief = brief_of(4);
    brief.settings.iterations = 1;
    brief.settings.give_up = gives_up;
    int changed_at = 1 << 30;
    const auto timing = [&](int, int candidate, int call) {
      if (candidate == 2) return refused_seconds;
      return 1e-3 * (candidate == 3 && call < changed_at ? 5 : 10 + candidate);
    };
    Lockstep ranks("brute-force", brief, 2, timing);
    ranks.call(50);
    EXPECT_EQ(ranks.proposed(), 3);
    EXPECT_EQ(tries_of(ranks, 2), 1);
    changed_at = 50;
    ranks.call(200);
    EXPECT_EQ(ranks.proposed(), 0) << "searched again";
    EXPECT_EQ(tries_of(ranks, 2), 1) << "but not asked for what cannot serve";
  }
}

TEST(BruteForce, HasNothingToSearchWithOneCandidate) {
  Brief brief = brief_of(3);
  brief.candidates.own()[1].refusal = brief.candidates.own()[2].refusal = "is not for here";
  Lockstep ranks("brute-force", brief, 2, milliseconds_the_later);
  ranks.call(1000);
  EXPECT_EQ(tries_of(ranks, 0), 1000);
  EXPECT_TRUE(ranks.exchanges().empty());
  EXPECT_EQ(ranks.strategy().stage(), "single");
}

TEST(BruteForce, StopsEarlyWhereTheTriedOnesMakeABetterOneImprobable) {
  Brief brief = halo_set();
  // All at once is hopeless, and of the others none differs much: what those tried have in common tells.
  Case one{.seconds = std::vector<double>(20, 1e-3)};
  for (std::size_t i = 0; i < 20; ++i)
    if (value_of(brief.candidates[i], "partners") == "aao") one.seconds[i] = 12e-3;
  Lockstep all("brute-force", brief, 2, one.timing());
  all.call(300);
  EXPECT_EQ(tried_of(all, 20), 20);
  brief.settings.early_stop = 0.05;
  Lockstep few("brute-force", brief, 2, one.timing());
  few.call(300);
  EXPECT_LT(tried_of(few, 20), 14);
  int hopeless = 0;
  for (std::size_t i = 0; i < 20; ++i)
    if (value_of(brief.candidates[i], "partners") == "aao") hopeless += tries_of(few, static_cast<int>(i));
  EXPECT_LE(hopeless, 3);
  EXPECT_NEAR(one.ratio(few.proposed()), 1, 1e-9);
  EXPECT_NE(few.strategy().decisions()[0].why.find("not tried: one of them is 2 % faster with a probability of"),
            std::string::npos)
      << few.strategy().decisions()[0].why;
}

TEST(BruteForce, TriesAllInspiteOfEarlyStoppingWhereTheTimesSayNothing) {
  Brief brief = brief_of(12);  // without attributes
  brief.settings.early_stop = 0.01;
  Lockstep ranks("brute-force", brief, 2,
                 [](int, int candidate, int) { return 1e-3 * (candidate == 11 ? 5 : 10 + (3 * (candidate % 5))); });
  ranks.call(300);
  EXPECT_EQ(tried_of(ranks, 12), 12);
  EXPECT_EQ(ranks.proposed(), 11);
}

TEST(BruteForce, StartsFromEarlierRuns) {
  Brief brief = brief_of(4);
  for (const int known : {0, 1, 3})
    brief.candidates.own()[static_cast<std::size_t>(known)].earlier = Earlier{1e-3 * (10 - known), 10};
  Lockstep ranks("brute-force", brief, 3, [](int, int candidate, int) { return 1e-3 * (10 - candidate); });
  EXPECT_EQ(ranks.proposed(), 2) << "the one that is not known";
  ranks.call(60);
  EXPECT_EQ(ranks.proposed(), 3);
  EXPECT_EQ(tries_of(ranks, 0), 0);
  EXPECT_EQ(tries_of(ranks, 1), 0);

  brief.candidates.own()[2].earlier = Earlier{8e-3, 10};
  Lockstep known("brute-force", brief, 3, [](int, int candidate, int) { return 1e-3 * (10 - candidate); });
  EXPECT_EQ(known.proposed(), 3);
  EXPECT_FALSE(known.strategy().exploring());
  EXPECT_EQ(known.strategy().decisions()[0].why,
            "fastest of 4 candidates: a3 at 7.00 ms in earlier runs, then a2 at 8.00 ms");
  EXPECT_FALSE(known.strategy().found(3)) << "nothing was found in this run";
}

TEST(BruteForce, MeasuresAllAgainWhereEarlierTimesDoNotHold) {
  Brief brief = brief_of(4);
  for (int i = 0; i < 4; ++i)
    brief.candidates.own()[static_cast<std::size_t>(i)].earlier = Earlier{i == 3 ? 5e-3 : 10e-3, 10};
  Lockstep ranks("brute-force", brief, 3, milliseconds_the_later);
  EXPECT_EQ(ranks.proposed(), 3);
  ranks.call(200);
  EXPECT_EQ(ranks.proposed(), 0);
  EXPECT_EQ(tried_of(ranks, 4), 4);
}

TEST(BruteForce, TakesTheNextBestWhereTheBestOfEarlierRunsCannotServe) {
  Brief brief = brief_of(4);
  for (int i = 0; i < 4; ++i)
    brief.candidates.own()[static_cast<std::size_t>(i)].earlier = Earlier{1e-3 * (10 - i), 10};
  Lockstep ranks("brute-force", brief, 2,
                 [](int, int candidate, int) { return candidate == 3 ? refused_seconds : 1e-3 * (10 - candidate); });
  ranks.call(100);
  EXPECT_EQ(ranks.proposed(), 2);
  EXPECT_EQ(ranks.strategy().decisions().back().why,
            "a3 cannot serve here; fastest of 3 candidates: a2 at 8.00 ms in earlier runs, then a1 at 9.00 ms");
}

TEST(BruteForce, ReportsWhatTheRanksAgreedOn) {
  Lockstep ranks("brute-force", as_published(brief_of(3)), 2,
                 [](int rank, int candidate, int) { return 1e-3 * (10 + (2 * rank) + candidate); });
  ranks.call(30);
  EXPECT_NEAR(ranks.strategy().found(1).value().seconds, 13e-3, 13e-3 / 2048) << "the slowest rank's";
  EXPECT_NEAR(ranks.strategy().found(1)->deviation.value(), 0, 1e-8);
}

TEST(BruteForce, ComparesCallsOfDifferentSizesForTheSameWork) {
  Brief brief = brief_of(4);
  brief.varying_work = true;
  brief.settings.give_up = false;
  const auto work = [](int /*rank*/, int call) { return 1000.0 * (1 + ((call * 7919) % 20)); };
  // The last one is the best for the mean work; unscaled times depend on the sizes that each one got.
  Lockstep ranks(
      "brute-force", brief, 2,
      [&](int rank, int candidate, int call) {
        const double rate = candidate == 3 ? 0.9 : 1;
        return 1e-6 * (20 + (rate * work(rank, call) / 100)) * (call < 10 ? 0.98 : 1);
      },
      work);
  ranks.call(40);
  EXPECT_EQ(ranks.proposed(), 3);
}

}  // namespace
}  // namespace starling::testing
