#include <gtest/gtest.h>

#include "halo_set.hpp"

namespace starling::testing {
namespace {

/// Pairs of partners, packed data and MPI_Sendrecv each make an exchange faster, whatever the others are.
Case uncorrelated(const Brief& brief) {
  Case one;
  for (const Candidate& candidate : brief.candidates) {
    double seconds = 1e-3;
    if (value_of(candidate, "partners") == "aao") seconds *= 1.3;
    if (value_of(candidate, "data") == "ddt") seconds *= 1.2;
    if (value_of(candidate, "transfer") != "Sendrecv") seconds *= 1.1;
    one.seconds.push_back(seconds);
  }
  return one;
}

TEST(AttributeSearch, FindsTheBestOfUncorrelatedAttributesWithFewCandidates) {
  for (const char* strategy : {"attribute", "attribute:tested"})
    for (const bool gives_up : {false, true}) {
      Brief brief = halo_set();
      brief.settings.give_up = gives_up;
      Lockstep ranks(strategy, brief, 3, uncorrelated(brief).timing());
      ranks.call(300);
      EXPECT_FALSE(ranks.strategy().exploring());
      EXPECT_EQ(ranks.proposed(), candidate_named(brief, "Sendrecv_pair_pack")) << strategy;
      EXPECT_LE(tried_of(ranks, 20), strategy == std::string("attribute") ? 8 : 13) << strategy;
      EXPECT_NE(ranks.strategy().decisions()[0].why.find("two comparisons each were for partners=pair, data=pack"),
                std::string::npos)
          << ranks.strategy().decisions()[0].why;
    }
}

TEST(AttributeSearch, AsPublishedAgreesOnceForEachCandidateThatItTries) {
  Brief brief = halo_set();
  brief.settings.give_up = false;
  Lockstep ranks("attribute", brief, 3, uncorrelated(brief).timing());
  while (ranks.strategy().exploring()) ranks.call();
  EXPECT_EQ(static_cast<int>(ranks.exchanges().size()), tried_of(ranks, 20));
  EXPECT_EQ(static_cast<int>(ranks.made().size()), 10 * tried_of(ranks, 20));
}

TEST(AttributeSearch, AsksForAComparisonAlongWithTheLastCallsOfOthers) {
  double agreements = 0;
  constexpr int runs = 100;
  for (std::uint64_t seed = 1; seed <= runs; ++seed) {
    const Brief brief = halo_set();
    Case one = made_up_case(brief, 1.3, 0.1, seed);
    one.noise = 0.06;
    Lockstep ranks("attribute", brief, 2, one.timing());
    ranks.call(700);
    agreements += static_cast<double>(ranks.exchanges().size()) / runs;
  }
  EXPECT_LT(agreements, 15.2) << agreements;
}

TEST(AttributeSearch, NeedsTwoComparisonsToDropAValue) {
  // In the first comparison, of IsendIrecv with derived types, pairs win; in all others all at once does.
  Brief brief = halo_set();
  Case one;
  for (const Candidate& candidate : brief.candidates) {
    const bool pair = value_of(candidate, "partners") == "pair";
    const bool odd = value_of(candidate, "data") == "ddt" && value_of(candidate, "transfer") == "IsendIrecv";
    one.seconds.push_back(1e-3 * (pair == odd ? 1 : 1.2) * (candidate.name == "SendIrecv_aao_pack" ? 0.8 : 1));
  }
  Lockstep ranks("attribute", brief, 2, one.timing());
  ranks.call(400);
  EXPECT_EQ(ranks.proposed(), candidate_named(brief, "SendIrecv_aao_pack"));
}

/// All at once is better with derived types, pairs with packed data: with two transfers each of both. The best is
/// a pair with packed data, but the best transfer of derived types is nearly as good.
Case interacting(const Brief& brief) {
  Case one;
  for (const Candidate& candidate : brief.candidates) {
    const bool pair = value_of(candidate, "partners") == "pair";
    const bool packed = value_of(candidate, "data") == "pack";
    const std::string transfer = value_of(candidate, "transfer");
    double seconds = pair == packed ? 1.2e-3 : 1.5e-3;
    if (pair && packed && transfer == "SendRecv") seconds = 1e-3;
    one.seconds.push_back(seconds);
  }
  return one;
}

TEST(AttributeSearch, GoesWrongWhereAttributesInteractAndTheTestedOneDoesNot) {
  const Brief brief = halo_set();
  Case one = interacting(brief);
  Lockstep plain("attribute", brief, 2, one.timing());
  Lockstep tested("attribute:tested", brief, 2, one.timing());
  Lockstep all("brute-force", brief, 2, one.timing());
  for (Lockstep* ranks : {&plain, &tested, &all}) ranks->call(500);
  const int best = candidate_named(brief, "SendRecv_pair_pack");
  EXPECT_EQ(all.proposed(), best);
  EXPECT_EQ(tested.proposed(), best);
  EXPECT_GT(one.ratio(plain.proposed()), 1.15) << "assumes that attributes are uncorrelated";
}

TEST(AttributeSearch, NeverAsksForCombinationsThatCannotBe) {
  Brief brief = halo_set();
  for (std::size_t i = 0; i < 20; i += 3) brief.candidates.own()[i].refusal = i == 0 ? "" : "cannot be";
  for (const char* strategy : {"attribute", "attribute:tested", "factorial", "brute-force"}) {
    Lockstep ranks(strategy, brief, 2, uncorrelated(brief).timing());
    ranks.call(400);
    EXPECT_FALSE(ranks.strategy().exploring()) << strategy;
    for (int i = 3; i < 20; i += 3) EXPECT_EQ(tries_of(ranks, i), 0) << strategy << " " << i;
  }
}

TEST(AttributeSearch, GoesOnWithoutWhatTurnsOutUnableToServe) {
  const Brief brief = halo_set();
  for (const char* strategy : {"attribute", "attribute:tested", "factorial", "brute-force"}) {
    Case one = uncorrelated(brief);
    const int best = candidate_named(brief, "Sendrecv_pair_pack");
    const int corner = candidate_named(brief, "IsendIrecv_pair");
    for (const int refused : {best, corner}) one.seconds[static_cast<std::size_t>(refused)] = refused_seconds;
    Lockstep ranks(strategy, brief, 2, one.timing());
    ranks.call(400);
    EXPECT_FALSE(ranks.strategy().exploring()) << strategy;
    EXPECT_LE(tries_of(ranks, best), 10) << strategy << ": asked for once, with all calls that were planned then";
    EXPECT_NEAR(one.ratio(ranks.proposed()), 1, 1e-9) << strategy;
  }
}

TEST(AttributeSearch, MeasuresAllWhereThereIsNothingToCompare) {
  for (const char* strategy : {"attribute", "attribute:tested", "factorial"}) {
    Lockstep ranks(strategy, brief_of(7), 2,
                   [](int, int candidate, int) { return 1e-3 * (candidate == 5 ? 8 : 9 + candidate); });
    ranks.call(300);
    EXPECT_EQ(tried_of(ranks, 7), 7) << strategy;
    EXPECT_EQ(ranks.proposed(), 5) << strategy;
  }
}

TEST(AttributeSearch, TriesFewThatAreManyTimesSlower) {
  // CacauGE: all partners at once, through a switch that blocks.
  const Brief brief = halo_set();
  Case one = made_up_case(brief, 1.3, 0.2, 3);
  for (std::size_t i = 0; i < 20; ++i)
    if (value_of(brief.candidates[i], "partners") == "aao") one.seconds[i] *= 12;
  Lockstep ranks("attribute", brief, 2, one.timing());
  ranks.call(300);
  int hopeless = 0;
  for (std::size_t i = 0; i < 20; ++i)
    if (value_of(brief.candidates[i], "partners") == "aao") hopeless += tries_of(ranks, static_cast<int>(i));
  EXPECT_LE(hopeless, 3);
  EXPECT_EQ(value_of(brief.candidates[static_cast<std::size_t>(ranks.proposed())], "partners"), "pair");
}

TEST(AttributeSearch, LeavesOutAKindOfWhichOneIsMuchSlower) {
  for (const char* strategy : {"attribute", "attribute:tested"})
    for (const bool gives_up : {false, true}) {
      Brief brief = halo_set();
      brief.settings.give_up = gives_up;
      Case one = made_up_case(brief, 1.1, 0.2, 3);
      const auto is_one_sided = [&](std::size_t i) { return brief.candidates[i].kind.text() == "one-sided"; };
      for (std::size_t i = 0; i < 20; ++i)
        one.seconds[i] *= is_one_sided(i) ? 10 : value_of(brief.candidates[i], "data") == "pack" ? 1.2 : 1;
      Lockstep ranks(strategy, brief, 2, one.timing());
      ranks.call(500);
      int hopeless = 0;
      for (std::size_t i = 0; i < 20; ++i)
        if (is_one_sided(i)) hopeless += tries_of(ranks, static_cast<int>(i));
      if (gives_up) {
        EXPECT_EQ(hopeless, 1) << strategy;
        const std::string& why = ranks.strategy().decisions()[0].why;
        EXPECT_NE(why.find("one-sided is much slower"), std::string::npos) << why;
      } else {
        EXPECT_GE(hopeless, 20) << strategy << " as published knows no kinds";
      }
    }
}

TEST(AttributeSearch, KeepsAKindThatIsNotFarSlower) {
  const Brief brief = halo_set();
  Case one = made_up_case(brief, 1.1, 0.2, 3);
  for (std::size_t i = 0; i < 20; ++i)
    one.seconds[i] *= brief.candidates[i].kind.text() == "one-sided"    ? 3
                      : value_of(brief.candidates[i], "data") == "pack" ? 1.2
                                                                        : 1;
  Lockstep ranks("attribute", brief, 2, one.timing());
  ranks.call(500);
  const std::string& why = ranks.strategy().decisions()[0].why;
  EXPECT_EQ(why.find("much slower"), std::string::npos) << why;
}

/// Beginning with windows takes a millisecond: a job whose calls take 10 ms in all does without, and a longer one finds
/// that they are faster.
TEST(AttributeSearch, BeginsWithADearKindInLongerJobs) {
  for (const char* strategy : {"attribute", "attribute:tested", "brute-force", "factorial"}) {
    Brief brief = halo_set();
    brief.settings.early_stop = 0.02;
    Case one = made_up_case(brief, 1.1, 0.2, 3);
    const auto is_one_sided = [&](std::size_t i) { return brief.candidates[i].kind.text() == "one-sided"; };
    for (std::size_t i = 0; i < 20; ++i) {
      one.seconds[i] *= is_one_sided(i) ? 1e-2 * 0.7 : 1e-2;
      if (is_one_sided(i)) brief.candidates.own()[i].seconds_to_begin = 1e-3;
    }
    Lockstep ranks(strategy, brief, 2, one.timing());
    ranks.call(1000);
    int tries = 0;
    for (std::size_t i = 0; i < 20; ++i)
      if (is_one_sided(i)) tries += tries_of(ranks, static_cast<int>(i));
    EXPECT_EQ(tries, 0) << strategy;
    ranks.call(40'000);
    EXPECT_TRUE(is_one_sided(static_cast<std::size_t>(chosen_of(ranks)))) << strategy;
  }
}

/// The ledger of auto allows ever less of ever more calls: a millisecond of calls of 10 us after 170,000 of them, if
/// candidate 0 is the fastest of its kind. Where a half of a second was called, it counts for nothing.
TEST(AttributeSearch, BeginsWithADearKindAlsoWhereItIsGuarded) {
  Brief brief = halo_set();
  brief.unpredicted = true;
  Case one = made_up_case(brief, 1.3, 0.2, 29);
  one.noise = 0.02;
  const double first = one.seconds.front();
  const auto is_one_sided = [&](int i) {
    return brief.candidates[static_cast<std::size_t>(i)].kind.text() == "one-sided";
  };
  for (int i = 0; i < 20; ++i) {
    one.seconds[static_cast<std::size_t>(i)] *= 1e-5 / first * (is_one_sided(i) ? 0.6 : 1);
    if (is_one_sided(i)) brief.candidates.own()[static_cast<std::size_t>(i)].seconds_to_begin = 1e-3;
  }
  Lockstep ranks("auto", brief, 2, one.timing());
  ranks.call(40'000);
  EXPECT_TRUE(std::none_of(ranks.made().begin(), ranks.made().end(), is_one_sided));
  ranks.call(70'000);
  EXPECT_TRUE(is_one_sided(chosen_of(ranks)));
}

TEST(AttributeSearch, TakesNoOtherArgument) {
  const auto kind = strategy_named("attribute").value().first;
  EXPECT_EQ(kind->rejects(""), "");
  EXPECT_EQ(kind->rejects("tested"), "");
  EXPECT_EQ(kind->rejects("all"), "there is attribute, and attribute:tested");
}

}  // namespace
}  // namespace starling::testing
