// What follows the choice of ADCL's searches: the winner's time is watched.

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "halo_set.hpp"

namespace starling::testing {
namespace {

const std::vector<std::string> searches{"brute-force", "attribute", "attribute:tested", "factorial"};

/// Calls until the search is over.
int calls_of_search(Lockstep& ranks) {
  int calls = 0;
  for (; ranks.strategy().exploring() && calls < 2000; ++calls) ranks.call();
  return calls;
}

TEST(SearchMonitoring, AgreesEverMoreRarelyAndOnFewNumbers) {
  Brief brief = brief_of(4);
  brief.settings.give_up = false;
  Lockstep ranks("brute-force", brief, 2, [](int, int candidate, int) { return 1e-3 * (10 + candidate); });
  calls_of_search(ranks);
  const auto before = ranks.exchanges().size();
  ranks.call(40 * ((1 << 6) - 1));
  EXPECT_EQ(ranks.exchanges().size() - before, 6U) << "after 40 calls, 80, 160, ...";
  EXPECT_EQ(ranks.exchanges().back().numbers, 10U);
}

TEST(SearchMonitoring, PeriodsHaveALimit) {
  Brief brief = brief_of(3);
  brief.settings.delta_limit = 4;
  brief.settings.give_up = false;
  Lockstep ranks("brute-force", brief, 2, [](int, int candidate, int) { return 1e-3 * (10 + candidate); });
  calls_of_search(ranks);
  const auto before = ranks.exchanges().size();
  ranks.call(40 * 10);
  EXPECT_EQ(ranks.exchanges().size() - before, 10U);
}

TEST(SearchMonitoring, MakesFirstCallsThatWerePutOffOneAfterTheOther) {
  Brief brief = halo_set();
  brief.settings.early_stop = 0.02;
  Lockstep ranks("brute-force", brief, 2, [&](int, int candidate, int) {
    return value_of(brief.candidates[static_cast<std::size_t>(candidate)], "partners") == "pair" ? 3e-3 : 1e-3;
  });
  calls_of_search(ranks);
  std::set<int> tried(ranks.made().begin(), ranks.made().end());
  const std::size_t at_first = tried.size();
  EXPECT_LT(at_first, brief.candidates.size());
  std::size_t exchanges = ranks.exchanges().size();
  std::size_t most_at_once = 0;
  auto from = ranks.made().size();
  while (ranks.made().size() < 200'000) {
    ranks.call();
    if (ranks.exchanges().size() == exchanges) continue;
    exchanges = ranks.exchanges().size();
    const std::size_t before = tried.size();
    tried.insert(ranks.made().begin() + static_cast<std::ptrdiff_t>(from), ranks.made().end());
    from = ranks.made().size();
    most_at_once = std::max(most_at_once, tried.size() - before);
  }
  EXPECT_GT(tried.size(), at_first);
  EXPECT_EQ(most_at_once, 1U);
}

TEST(SearchMonitoring, CorrectsADecisionThatAPerturbationMadeWrong) {
  // SharkGE, 48 processes: while the search ran, another job slowed all partners at once down more than pairs.
  for (const std::string& search : searches) {
    SCOPED_TRACE(search);
    const Brief brief = halo_set();
    Case later = made_up_case(brief, 1.2, 0.1, 7);
    Case perturbed = later;
    for (std::size_t i = 0; i < 20; ++i) {
      const bool pair = value_of(brief.candidates[i], "partners") == "pair";
      later.seconds[i] *= pair ? 1.3 : 1;
      perturbed.seconds[i] = later.seconds[i] * (pair ? 1.5 : 4);
    }
    later.noise = perturbed.noise = 0.03;
    Lockstep ranks(search, brief, 3, perturbed.timing());
    calls_of_search(ranks);
    EXPECT_EQ(value_of(brief.candidates[static_cast<std::size_t>(ranks.proposed())], "partners"), "pair");
    ranks.measure(later.timing());
    const auto until_now = static_cast<int>(ranks.made().size());
    while (value_of(brief.candidates[static_cast<std::size_t>(ranks.proposed())], "partners") == "pair" &&
           ranks.made().size() < 1000)
      ranks.call();
    calls_of_search(ranks);
    EXPECT_LT(static_cast<int>(ranks.made().size()) - until_now, 300);
    EXPECT_LT(later.ratio(ranks.proposed()), 1.1);
    EXPECT_EQ(value_of(brief.candidates[static_cast<std::size_t>(ranks.proposed())], "partners"), "aao");
    EXPECT_NE(ranks.strategy().decisions().back().why.find("searched again; fastest of"), std::string::npos)
        << ranks.strategy().decisions().back().why;
  }
}

TEST(SearchMonitoring, MovesAwayFromAWinnerThatSlowsDown) {
  for (const std::string& search : searches) {
    const Brief brief = halo_set();
    Case before = made_up_case(brief, 1.4, 0.1, 9);
    Lockstep ranks(search, brief, 2, before.timing());
    ranks.call(1500);
    const int winner = ranks.proposed();
    Case after = before;
    after.seconds[static_cast<std::size_t>(winner)] *= 2;
    ranks.measure(after.timing());
    ranks.call(2500);
    EXPECT_NE(chosen_of(ranks), winner) << search;
  }
}

TEST(SearchMonitoring, SettingSaysWhatIsADrift) {
  const auto searched_again = [](double drift, double factor) {
    Brief brief = brief_of(3);
    brief.settings.drift = drift;
    double now = 1;
    Lockstep ranks("brute-force", brief, 2,
                   [&](int, int candidate, int) { return 1e-3 * (10 + candidate) * (candidate == 0 ? now : 1); });
    calls_of_search(ranks);
    now = factor;
    ranks.call(300);
    return ranks.strategy().decisions().size() > 1;
  };
  EXPECT_TRUE(searched_again(0.2, 1.3));
  EXPECT_FALSE(searched_again(0.4, 1.3));
  EXPECT_TRUE(searched_again(0.2, 0.7)) << "a winner that becomes faster: the search saw a disturbed network";
  EXPECT_FALSE(searched_again(0, 5)) << "0: never";
}

TEST(SearchMonitoring, IgnoresWhatPasses) {
  Brief brief = brief_of(3);
  int disturbed_from = 0;
  Lockstep ranks("brute-force", brief, 2, [&](int, int candidate, int call) {
    const bool disturbed = disturbed_from > 0 && call >= disturbed_from && call < disturbed_from + 8;
    return 1e-3 * (10 + candidate) * (disturbed ? 6 : 1);
  });
  calls_of_search(ranks);
  disturbed_from = static_cast<int>(ranks.made().size()) + 11;
  ranks.call(500);
  EXPECT_EQ(ranks.strategy().decisions().size(), 1U);
}

TEST(SearchMonitoring, LooksAgainAtWhatWasGivenUpAndFindsOutThatItWasDisturbed) {
  // The best one's first call took three times as long.
  for (const std::string& search : searches) {
    const Brief brief = halo_set();
    Case one = made_up_case(brief, 1.4, 0.1, 11);
    const auto best = static_cast<int>(std::min_element(one.seconds.begin(), one.seconds.end()) - one.seconds.begin());
    std::vector<int> made(20, 0);
    Lockstep ranks(search, brief, 1, [&](int, int candidate, int) {
      const bool first = made[static_cast<std::size_t>(candidate)]++ == 0;
      return one.seconds[static_cast<std::size_t>(candidate)] * (first && candidate == best ? 3 : 1);
    });
    ranks.call(200);
    EXPECT_NE(chosen_of(ranks), best) << search;
    const bool was_tried = made[static_cast<std::size_t>(best)] > 0;
    ranks.call(6000);
    EXPECT_EQ(chosen_of(ranks) == best, was_tried) << search;
    EXPECT_TRUE(was_tried || search != "brute-force");
    if (!was_tried) continue;
    EXPECT_NE(ranks.strategy().decisions().back().why.find(" was disturbed when it was given up; fastest of"),
              std::string::npos)
        << ranks.strategy().decisions().back().why;
  }
}

TEST(SearchMonitoring, RanksDoNotAgreeOnSuchLooksAlone) {
  Case one = made_up_case(halo_set(), 1.4, 0.1, 11);
  Lockstep ranks("brute-force", halo_set(), 1, one.timing());
  while (ranks.strategy().stage() != "monitor") ranks.call();
  const std::size_t agreed = ranks.exchanges().size();
  const std::size_t searched = ranks.made().size();
  const int chosen = chosen_of(ranks);
  ranks.call(6000);
  EXPECT_GT(std::count_if(ranks.made().begin() + static_cast<std::ptrdiff_t>(searched), ranks.made().end(),
                          [&](int candidate) { return candidate != chosen; }),
            3);
  for (std::size_t i = agreed; i < ranks.exchanges().size(); ++i)
    EXPECT_GE(ranks.exchanges()[i].call - ranks.exchanges()[i - 1].call, 40);
}

TEST(SearchMonitoring, SuchLooksCostLittle) {
  Lockstep ranks("brute-force", brief_of(6), 2,
                 [](int, int candidate, int) { return 1e-3 * (candidate == 2 ? 10 : 500 + candidate); });
  ranks.call(9000);
  for (const int slow : {1, 3, 4, 5}) EXPECT_EQ(tries_of(ranks, slow), 1) << "50 calls are more than 0.1 % of 9000";
  EXPECT_EQ(tries_of(ranks, 0), 2) << "the first call of all does not count";
  ranks.call(50000);
  EXPECT_EQ(tries_of(ranks, 0), 3);
}

TEST(SearchMonitoring, DoesNotSearchForEverWhereTheWinnerStaysTheSame) {
  // The network is fast and slow in turn, for all alike.
  Brief brief = brief_of(6);
  Lockstep ranks("brute-force", brief, 2,
                 [](int, int candidate, int call) { return 1e-3 * (10 + candidate) * (call / 150 % 2 == 0 ? 1 : 2); });
  int exploring = 0;
  for (int i = 0; i < 6000; ++i) {
    ranks.call();
    if (ranks.strategy().exploring()) ++exploring;
  }
  EXPECT_LT(exploring, 600) << "a search in vain doubles the calls before the next one";
}

TEST(SearchMonitoring, NoiseAloneStartsNoSearch) {
  for (const double noise : {0.05, 0.3}) {
    int searches_again = 0;
    for (std::uint64_t seed = 1; seed <= 40; ++seed) {
      const Brief brief = halo_set();
      Case one = made_up_case(brief, 1.4, 0.2, seed);
      one.noise = noise;
      Lockstep ranks("brute-force", brief, 2, one.timing());
      ranks.call(2000);
      searches_again += static_cast<int>(ranks.strategy().decisions().size()) - 1;
    }
    EXPECT_LE(searches_again, 2) << noise;
  }
}

TEST(SearchMonitoring, ReportsTheLatestTimeOfTheWinner) {
  Brief brief = brief_of(3);
  double now = 1;
  Lockstep ranks("brute-force", brief, 2, [&](int, int candidate, int) { return 1e-3 * (10 + candidate) * now; });
  calls_of_search(ranks);
  now = 1.1;
  ranks.call(100);
  EXPECT_NEAR(ranks.strategy().found(0).value().seconds, 11e-3, 1e-7);
}

}  // namespace
}  // namespace starling::testing
