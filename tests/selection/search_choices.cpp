// How often ADCL's searches choose wrong, on many made-up sets of times.

#include <gtest/gtest.h>

#include <cstdio>

#include "halo_set.hpp"
#include "sanitized.hpp"

namespace starling::testing {
namespace {

struct Choice {
  const char* search;
  double early_stop;
  double own;        ///< the share of the variance that attributes do not explain
  double noise;      ///< of single calls
  double disturbed;  ///< share of calls that take ten times as long
  double wrong;      ///< the most of choices that are more than 2 % slower than the best
};

class SearchChoices : public ::testing::TestWithParam<Choice> {};

constexpr int runs_of_each = testing::sanitized ? 40 : 400;

TEST_P(SearchChoices, AreRarelyWrong) {
  const Choice goal = GetParam();
  constexpr int runs = runs_of_each;
  int wrong = 0;
  double lost = 0;
  for (std::uint64_t seed = 1; seed <= runs; ++seed) {
    Brief brief = halo_set();
    brief.settings.early_stop = goal.early_stop;
    Case one = made_up_case(brief, 1.05 + (0.45 * static_cast<double>(seed) / runs), goal.own, seed);
    one.noise = goal.noise;
    one.disturbed = goal.disturbed;
    Lockstep ranks(goal.search, brief, 2, one.timing());
    ranks.call(700);
    const double ratio = one.ratio(chosen_of(ranks));
    if (ratio > 1.02) ++wrong;
    lost += (ratio - 1) / runs;
  }
  const double share = static_cast<double>(wrong) / runs;
  std::printf(
      "%s, early stop %g, %g %% noise, %g %% of calls disturbed: %.1f %% wrong choices, %.2f %% lost in the mean\n",
      goal.search, goal.early_stop, 100 * goal.noise, 100 * goal.disturbed, 100 * share, 100 * lost);
  EXPECT_LE(share, goal.wrong);
}

INSTANTIATE_TEST_SUITE_P(
    All, SearchChoices,
    ::testing::Values(Choice{"brute-force", 0, 0.3, 0.03, 0, 0.05}, Choice{"brute-force", 0, 0.3, 0.05, 0.005, 0.02},
                      Choice{"brute-force", 0.02, 0.3, 0.03, 0,
                             0.05},  // One-sided transfers cannot pack: that alone correlates attributes.
                      Choice{"attribute", 0, 0, 0.03, 0, 0.10}, Choice{"attribute:tested", 0, 0, 0.03, 0, 0.05},
                      Choice{"attribute:tested", 0, 0.3, 0.03, 0, 0.03},
                      Choice{"attribute:tested", 0, 0.3, 0.06, 0, 0.03}, Choice{"factorial", 0, 0, 0.03, 0, 0.05}));

/// Behind switches that block, what exchanges with all partners at once is ten times slower. Some of the others are
/// given up after a call, and turn out to be no longer clearly slower: that must not make all of the slow ones tried.
TEST(EarlyStopping, TriesFewOfThoseThatAreManyTimesSlower) {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    Brief brief = halo_set();
    brief.settings.early_stop = 0.02;
    Case one = made_up_case(brief, 1.05 + (0.0075 * static_cast<double>(seed)), 0.3, seed);
    one.noise = 0.06;
    std::vector<int> slow;
    for (int i = 0; i < 20; ++i)
      if (value_of(brief.candidates[static_cast<std::size_t>(i)], "partners") == "aao") slow.push_back(i);
    for (const int each : slow) one.seconds[static_cast<std::size_t>(each)] *= 10;
    Lockstep ranks("brute-force", brief, 2, one.timing());
    ranks.call(700);
    int tries = 0;
    for (const int each : slow) tries += tries_of(ranks, each);
    EXPECT_LE(tries, 5) << "seed " << seed << ", of " << slow.size() << " slow ones";
  }
}

/// What the first one of a kind takes tells enough of the others, however much the other kind's differ and scatter.
TEST(EarlyStopping, TriesOneOfAKindThatIsManyTimesSlower) {
  constexpr int runs = 60;
  int tried = 0;
  for (std::uint64_t seed = 1; seed <= runs; ++seed) {
    Brief brief = halo_set();
    brief.settings.early_stop = 0.02;
    Case one = made_up_case(brief, 1.5, 0.5, seed);
    one.noise = 0.2;
    one.disturbed = 0.05;
    const auto is_one_sided = [&](std::size_t i) { return brief.candidates[i].kind.text() == "one-sided"; };
    for (std::size_t i = 0; i < one.seconds.size(); ++i)
      if (is_one_sided(i)) one.seconds[i] *= 20;
    Lockstep ranks("brute-force", brief, 2, one.timing());
    ranks.call(500);
    for (std::size_t i = 0; i < one.seconds.size(); ++i)
      if (is_one_sided(i) && tries_of(ranks, static_cast<int>(i)) > 0) ++tried;
  }
  EXPECT_LE(tried, runs + (runs / 10)) << "now and then the others look slow as well";
}

/// How often the ranks agree in a search if that takes so many seconds.
int agreements_of_search(double seconds_of_agreement) {
  Brief brief = halo_set();
  brief.is_first_rank = true;
  brief.settings.early_stop = 0.02;
  Case one = made_up_case(brief, 1.2, 0.3, 7);
  one.noise = 0.03;
  const auto strategy = strategy_named("brute-force").value().first->make(brief);
  int agreements = 0;
  for (int call = 0; strategy->exploring() && call < 1000; ++call) {
    const std::span<const double> numbers = strategy->observe(one.at(0, strategy->proposed(), call), 0);
    if (numbers.empty()) continue;
    const std::span<const double> ruling = strategy->ruling(std::vector<double>(numbers.begin(), numbers.end()));
    strategy->verdict(std::vector<double>(ruling.begin(), ruling.end()));
    strategy->agreement_took(seconds_of_agreement);
    ++agreements;
  }
  EXPECT_FALSE(strategy->exploring());
  return agreements;
}

TEST(EarlyStopping, AgreesMoreRarelyWhereThatTakesAsLongAsCalls) {
  const int usual = agreements_of_search(1e-5);
  const int rarely = agreements_of_search(4e-3);
  EXPECT_LE(4 * rarely, 3 * usual) << rarely << " and " << usual;
}

}  // namespace
}  // namespace starling::testing
