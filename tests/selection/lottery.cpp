#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <set>

#include "lockstep.hpp"
#include "measurement/statistics.hpp"

namespace starling::testing {
namespace {

/// Candidate `best` takes 10 us, the others up to three times as long, each with up to 4 % of noise by rank and call.
Lockstep::Timing fastest_is(int best, int candidates) {
  return [=](int rank, int candidate, int call) {
    const double typical = candidate == best ? 10 : 12 + 18.0 * candidate / candidates;
    const int noise = ((rank * 31 + candidate * 17 + call * 7) * 2654435761U) % 101;
    return 1e-6 * typical * (1 + 0.0004 * noise);
  };
}

Brief seeded(int candidates, std::uint64_t seed) {
  Brief brief = brief_of(candidates);
  brief.settings.seed = seed;
  return brief;
}

int calls_until_all_tried(int candidates, std::uint64_t seed) {
  Lockstep ranks("lottery", seeded(candidates, seed), 2, fastest_is(candidates / 2, candidates));
  std::set<int> tried;
  for (int call = 1;; ++call) {
    tried.insert(ranks.proposed());
    ranks.call();
    if (static_cast<int>(tried.size()) == candidates) return call;
  }
}

TEST(Lottery, StartsWithNativeAndDrawsAsTheSeedSays) {
  const auto made = [](std::uint64_t seed) {
    Lockstep ranks("lottery", seeded(8, seed), 2, fastest_is(3, 8));
    ranks.call(500);
    return ranks.made();
  };
  EXPECT_EQ(made(1).front(), 0);
  EXPECT_EQ(made(1), made(1));
  EXPECT_NE(made(1), made(2));
}

TEST(Lottery, TriesEverythingInTheCallsThatThePaperExpects) {
  // Section 6.1.3: |Z| lg |Z| / (1 - alpha), an estimate of the coupon collector's |Z| H(|Z|) from above.
  for (const int candidates : {4, 8, 16, 32}) {
    std::vector<double> calls;
    for (std::uint64_t seed = 1; seed <= 60; ++seed) calls.push_back(calls_until_all_tried(candidates, seed));
    const double mean = std::accumulate(calls.begin(), calls.end(), 0.0) / static_cast<double>(calls.size());
    const double expected = candidates * std::log2(candidates) / (1 - 0.8);
    EXPECT_GT(mean, 0.4 * expected) << candidates;
    EXPECT_LT(mean, 1.1 * expected) << candidates;
  }
}

TEST(Lottery, MostlyUsesTheFastestOnceAllAreTried) {
  for (const char* strategy : {"lottery", "lottery:inverse"}) {
    SCOPED_TRACE(strategy);
    Lockstep ranks(strategy, brief_of(10), 3, fastest_is(7, 10));
    ranks.call(1000);
    const std::size_t before = ranks.made().size();
    std::vector<double> seconds;
    std::map<int, int> uses;
    ranks.measure([&](int rank, int candidate, int call) {
      const double time = fastest_is(7, 10)(rank, candidate, call);
      if (rank == 0) seconds.push_back(time);
      return time;
    });
    ranks.call(2000);
    for (std::size_t i = before; i < ranks.made().size(); ++i) ++uses[ranks.made()[i]];
    EXPECT_GT(uses[7], 1900);
    EXPECT_LT(median(seconds), 1.05 * 10e-6 * 1.02) << "its noise has a median of 2 %";
  }
}

TEST(Lottery, OfInverseTicketsLeavesSlowCandidatesAlone) {
  const auto tries_of_slow = [](const char* strategy) {
    Lockstep ranks(strategy, brief_of(4), 2, [](int, int candidate, int call) {
      return 1e-6 * (candidate == 3 ? 1000 : 10 + 0.1 * ((call * 7 + candidate) % 5));
    });
    ranks.call(4000);
    return std::count(ranks.made().begin(), ranks.made().end(), 3);
  };
  EXPECT_GT(tries_of_slow("lottery"), 10);
  EXPECT_LT(tries_of_slow("lottery:inverse"), 10);
}

/// The fastest candidate's calls take 9 and 11 us in turn: they deviate by 1 us, but means of even draws do not.
Lockstep::Timing alternating(std::vector<double> others) {
  return [others = std::move(others)](int, int candidate, int call) {
    return 1e-6 * (candidate == 0 ? (call % 2 == 0 ? 9 : 11) : others.at(static_cast<std::size_t>(candidate - 1)));
  };
}

int tries(const Lockstep& ranks, int candidate, int from) {
  return static_cast<int>(std::count(ranks.made().begin() + from, ranks.made().end(), candidate));
}

TEST(Lottery, OfInverseTicketsTriesWhatLiesWithinTwoDeviationsOfSingleCalls) {
  Lockstep ranks("lottery:inverse", brief_of(3), 2, alternating({11.2, 13}));
  ranks.call(4000);
  EXPECT_GT(tries(ranks, 1, 1000), 20) << "11.2 us are less than 2 deviations of 1 us above 10";
  EXPECT_LT(tries(ranks, 2, 1000), 5) << "13 us are more";
  EXPECT_NEAR(ranks.strategy().found(0)->deviation.value(), 1e-6, 0.1e-6);
}

/// The findings of a run, as the next one gets them.
Brief after(const Lockstep& run, Brief brief) {
  for (std::size_t i = 0; i < brief.candidates.size(); ++i) {
    const auto candidate = static_cast<int>(i);
    if (const auto found = run.strategy().found(candidate))
      brief.candidates.own()[i].earlier = Earlier{found->seconds, tries(run, candidate, 0), found->deviation};
  }
  return brief;
}

TEST(Lottery, GoesOnInTheNextRunWhereItEnded) {
  Lockstep first("lottery:inverse", brief_of(3), 2, alternating({11.2, 13}));
  first.call(4000);
  const double mean = first.strategy().found(0)->seconds;
  const double deviation = first.strategy().found(0)->deviation.value();
  Lockstep second("lottery:inverse", after(first, brief_of(3)), 2, alternating({11.2, 13}));
  second.measure([](int, int, int call) { return call < 2 ? 15e-6 : 1; });
  second.call(2);
  const Found found = second.strategy().found(0).value();
  EXPECT_NEAR(found.seconds, (0.8 * mean) + (0.2 * 15e-6), 1e-9) << "one call moves an average by a fifth";
  EXPECT_NEAR(found.deviation.value(),
              std::sqrt(0.8 * ((deviation * deviation) + (0.2 * (15e-6 - mean) * (15e-6 - mean)))), 1e-9);
}

TEST(Lottery, KnowsFromTheStartOfTheNextRunWhatIsTooSlow) {
  Lockstep first("lottery:inverse", brief_of(3), 2, alternating({11.2, 20}));
  first.call(4000);
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    Lockstep second("lottery:inverse", after(first, seeded(3, seed)), 2, alternating({11.2, 20}));
    second.call(200);
    EXPECT_EQ(tries(second, 2, 0), 0) << seed;
  }
}

TEST(Lottery, MovesAwayFromWhatHasBecomeSlow) {
  Lockstep ranks("lottery", brief_of(10), 3, fastest_is(7, 10));
  ranks.call(1000);
  ranks.measure([](int rank, int candidate, int call) {
    return (candidate == 7 ? 10 : 1) * fastest_is(7, 10)(rank, candidate, call);
  });
  ranks.call(500);
  const auto& made = ranks.made();
  const auto uses = std::count(made.end() - 300, made.end(), 7);
  EXPECT_LT(uses, 10);
  EXPECT_NE(ranks.strategy().decisions().back().to, 7);
}

TEST(Lottery, KeepsTheFirstAndTheLatestFewChangesOfTheFastest) {
  Lockstep ranks("lottery", brief_of(2), 2,
                 [](int, int candidate, int call) { return 1e-6 * (10 + (((call / 50) + candidate) % 2)); });
  ranks.call(4000);
  const auto decisions = ranks.strategy().decisions();
  EXPECT_EQ(decisions.size(), 4U);
  EXPECT_GT(ranks.strategy().decisions_dropped(), 10);
  EXPECT_EQ(decisions.front().from, -1);
  EXPECT_GT(decisions[1].call, 1000);
}

TEST(Lottery, DoesNotTimeTheFirstCallOfACandidate) {
  std::set<int> seen;
  Lockstep ranks("lottery", brief_of(6), 1, [&](int, int candidate, int) {
    return seen.insert(candidate).second ? 1.0 : 1e-6 * (10 + candidate);
  });
  ranks.call(2000);
  for (int candidate = 0; candidate < 6; ++candidate)
    EXPECT_LT(ranks.strategy().found(candidate).value_or(Found{1}).seconds, 1e-4) << candidate;
}

TEST(Lottery, StartsWithWhatEarlierRunsFound) {
  Brief brief = brief_of(6);
  for (int i = 0; i < 6; ++i)
    brief.candidates.own()[static_cast<std::size_t>(i)].earlier = Earlier{1e-6 * (20 - i), 30};
  Lockstep ranks("lottery", brief, 3, fastest_is(5, 6));
  EXPECT_EQ(ranks.proposed(), 5);
  ASSERT_EQ(ranks.strategy().decisions().size(), 1U);
  EXPECT_NE(ranks.strategy().decisions()[0].why.find("earlier runs"), std::string::npos);
  EXPECT_FALSE(ranks.strategy().found(5)) << "the earlier runs tell it themselves";
  ranks.call(200);
  EXPECT_GT(std::count(ranks.made().begin(), ranks.made().end(), 5), 170);
}

TEST(Lottery, RanksReduceTheTimesOfADrawAtItsEnd) {
  Brief brief = brief_of(3);
  brief.settings.longest_draw = 100;
  Lockstep ranks("lottery", brief, 4, fastest_is(1, 3));
  ranks.call(300);
  ASSERT_FALSE(ranks.exchanges().empty());
  for (const auto& exchange : ranks.exchanges()) EXPECT_LE(exchange.numbers, 32U) << "the last ones of a long draw";
  EXPECT_LT(ranks.exchanges().size(), 150U) << "a draw of the fastest holds for several calls";
}

TEST(Lottery, LeavesTheOnlyCandidateAlone) {
  Brief brief = brief_of(2);
  brief.candidates.own()[1].refusal = "is not for here";
  Lockstep ranks("lottery", brief, 2, fastest_is(0, 2));
  ranks.call(100);
  EXPECT_TRUE(ranks.exchanges().empty());
  EXPECT_EQ(ranks.strategy().stage(), "single");
}

TEST(Lottery, RefusesAPolicyThatIsNotThere) {
  const auto named = strategy_named("lottery:fair");
  ASSERT_TRUE(named);
  EXPECT_EQ(named->first->rejects(named->second), "no ticket policy 'fair'; there are: uniform, inverse");
  EXPECT_EQ(named->first->rejects(""), "");
}

}  // namespace
}  // namespace starling::testing
