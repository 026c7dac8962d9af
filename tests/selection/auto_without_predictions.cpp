// auto where nothing tells of candidates before they are tried: the functions of a program's own pattern.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>
#include <vector>

#include "halo_set.hpp"

namespace starling::testing {
namespace {

double seconds_of(const std::vector<int>& made, const Case& of) {
  return std::accumulate(made.begin(), made.end(), 0.0,
                         [&](double sum, int one) { return sum + of.best() * of.ratio(one); });
}

/// Behind switches that block, all that exchange with all partners at once take ten times as long: the first one, too.
TEST(AutoWithoutPredictions, LearnsWithinAFewCallsThatTheFirstOneIsManyTimesSlower) {
  constexpr int runs = 60;
  constexpr int calls = 700;
  constexpr double most_lost = 0.12;
  int right = 0;
  double lost = 0;
  for (std::uint64_t seed = 1; seed <= runs; ++seed) {
    Brief brief = halo_set();
    brief.unpredicted = true;
    Case one = made_up_case(brief, 1.05 + (0.0075 * static_cast<double>(seed)), 0.3, seed);
    one.noise = 0.06;
    for (std::size_t i = 0; i < one.seconds.size(); ++i)
      if (value_of(brief.candidates[i], "partners") == "aao") one.seconds[i] *= 10;
    Lockstep ranks("auto", brief, 2, one.timing());
    ranks.call(calls);
    if (one.ratio(chosen_of(ranks)) <= 1.02) ++right;
    const double over = seconds_of(ranks.made(), one) / (calls * one.best()) - 1;
    EXPECT_LT(over, most_lost) << "seed " << seed;
    lost += over / runs;
  }
  EXPECT_GE(right, runs * 9 / 10);
  EXPECT_LT(lost, 0.045);
}

/// The first attribute does not matter here, so that the first two are both slow.
TEST(AutoWithoutPredictions, GivesNoMoreCallsToTheFasterOfTheFirstTwoBeforeOthersWereTried) {
  Brief brief = halo_set();
  brief.unpredicted = true;
  for (Candidate& candidate : brief.candidates.own()) std::swap(candidate.attributes[0], candidate.attributes[1]);
  Case one = made_up_case(brief, 1.3, 0.3, 1);
  const auto is_slow = [&](int candidate) {
    return value_of(brief.candidates[static_cast<std::size_t>(candidate)], "partners") == "aao";
  };
  for (int i = 0; i < 20; ++i)
    if (is_slow(i)) one.seconds[static_cast<std::size_t>(i)] *= 10;
  Lockstep ranks("auto", brief, 2, one.timing());
  ranks.call(700);
  EXPECT_TRUE(is_slow(ranks.made()[0]) && is_slow(ranks.made()[1]));
  EXPECT_LT(std::count_if(ranks.made().begin(), ranks.made().end(), is_slow), 10);
}

/// Trials that the ledger allows later come after calls of the fastest without an agreement between. With one before
/// each there are 20.
TEST(AutoWithoutPredictions, WaitsWithoutAnAgreementForTrialsThatTheLedgerAllowsLater) {
  constexpr int runs = 30;
  double agreements = 0;
  for (std::uint64_t seed = 1; seed <= runs; ++seed) {
    Brief brief = halo_set();
    brief.unpredicted = true;
    Case one = made_up_case(brief, 1.3, 0.3, seed);
    one.noise = 0.03;
    one.seconds.front() = one.best();
    Lockstep ranks("auto", brief, 2, one.timing());
    ranks.call(500);
    agreements += static_cast<double>(ranks.exchanges().size()) / runs;
  }
  EXPECT_LT(agreements, 15);
}

/// The first one is the best of all. What is expected of others by those that were tried is wrong at times. Without a
/// ledger three times as much is lost.
TEST(AutoWithoutPredictions, LosesLittleMoreThanTheLedgerAllowsAfterAFirstLook) {
  constexpr int runs = 30;
  constexpr int calls = 60;
  double lost = 0;
  for (std::uint64_t seed = 1; seed <= runs; ++seed) {
    Brief brief = halo_set();
    brief.unpredicted = true;
    Case one = made_up_case(brief, 2 + (0.1 * static_cast<double>(seed)), 0.3, seed);
    one.noise = 0.03;
    one.seconds.front() = 0.98 * one.best();
    Lockstep ranks("auto", brief, 2, one.timing());
    while (ranks.exchanges().empty()) ranks.call();
    const auto looked = static_cast<std::ptrdiff_t>(ranks.made().size());
    ranks.call(calls);
    const std::vector<int> after(ranks.made().begin() + looked, ranks.made().end());
    lost += ((seconds_of(after, one) / one.best()) - calls) / runs;
    ranks.call(600);
    EXPECT_EQ(chosen_of(ranks), 0) << "seed " << seed;
  }
  EXPECT_LT(lost, 2 * (1 + (0.24 * std::sqrt(calls))));
}

/// One of the first candidates takes so long that much is expected of those that were not tried: they have to wait.
TEST(AutoWithoutPredictions, HasNotChosenWhileItWaitsAndTriesTheOthersMeanwhile) {
  Brief brief = brief_of(12);
  brief.unpredicted = true;
  Case one{.seconds = std::vector<double>(12, 40e-3), .noise = 0.05};
  one.seconds[0] = 1e-3;
  one.seconds[1] = 0.9e-3;
  Lockstep ranks("auto", brief, 2, one.timing());
  const Strategy& strategy = ranks.strategy();
  int of_first = 0;
  int of_second = 0;
  for (int call = 0; call < 400 && !strategy.settled(); ++call, ranks.call()) {
    EXPECT_EQ(strategy.stage(), "search") << call;
    if (call > 2) ++(ranks.proposed() == 1 ? of_second : of_first);
  }
  ASSERT_TRUE(strategy.settled());
  EXPECT_GE(of_first + of_second, 30) << "it waited";
  EXPECT_GE(of_second, 9);
  EXPECT_EQ(strategy.chosen(), 1);
  EXPECT_LE(ranks.exchanges().size(), 8U) << "while it waits, the ranks need not agree";
}

TEST(AutoWithoutPredictions, TriesFunctionsWithoutAttributes) {
  Brief brief = brief_of(3);
  brief.unpredicted = true;
  const Case one{.seconds = {2e-3, 3e-3, 1e-3}, .noise = 0.05};
  Lockstep ranks("auto", brief, 2, one.timing());
  ranks.call(60);
  EXPECT_EQ(ranks.strategy().chosen(), 2);
}

TEST(AutoWithoutPredictions, WithoutABudgetTriesNothing) {
  Brief brief = halo_set();
  brief.unpredicted = true;
  brief.settings.budget = 0;
  const Case one = made_up_case(brief, 1.5, 0.3, 1);
  Lockstep ranks("auto", brief, 2, one.timing());
  ranks.call(500);
  EXPECT_EQ(tries_of(ranks, 0), 500);
}

TEST(AutoWithoutPredictions, SearchesAgainWhenTheNetworkChanges) {
  Brief brief = halo_set();
  brief.unpredicted = true;
  const Case before{.seconds = std::vector<double>(20, 2e-3)};
  Case after = before;
  for (std::size_t i = 0; i < 20; ++i)
    if (value_of(brief.candidates[i], "partners") == "aao") after.seconds[i] = 20e-3;
  Lockstep ranks("auto", brief, 2, before.timing());
  ranks.call(300);
  ASSERT_EQ(ranks.strategy().chosen(), 0);
  ranks.measure(after.timing());
  ranks.call(700);
  EXPECT_DOUBLE_EQ(after.ratio(chosen_of(ranks)), 1);
}

/// Where nothing keeps ranks in step, each is late in every third call, once calls follow each other. The program takes
/// their mean.
TEST(Searches, DoNotTakeRanksThatAreLateInTurnsForSlow) {
  for (const char* strategy : {"auto", "brute-force"}) {
    Brief brief = halo_set();
    brief.unpredicted = true;
    Case one = made_up_case(brief, 1.3, 0.3, 7);
    const auto best = static_cast<int>(std::min_element(one.seconds.begin(), one.seconds.end()) - one.seconds.begin());
    one.seconds[static_cast<std::size_t>(best)] *= 0.95;
    std::vector<int> before(3, -1);
    Lockstep ranks(strategy, brief, 3, [&](int rank, int candidate, int call) {
      const bool follows = std::exchange(before[static_cast<std::size_t>(rank)], candidate) == candidate;
      return one.at(rank, candidate, call) * (candidate != best || !follows ? 1 : (call + rank) % 3 == 0 ? 1.6 : 0.7);
    });
    ranks.call(700);
    EXPECT_EQ(chosen_of(ranks), best) << strategy;
  }
}

}  // namespace
}  // namespace starling::testing
