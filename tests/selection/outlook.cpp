#include "selection/outlook.hpp"

#include <gtest/gtest.h>

#include "halo_set.hpp"

namespace starling::testing {
namespace {

/// What is known once some candidates had ten calls each.
Trials tried(const Brief& brief, const std::vector<std::pair<int, double>>& times) {
  Trials trials(brief);
  for (const auto& [candidate, seconds] : times)
    trials.add(candidate, std::vector<AgreedCall>(10, AgreedCall{seconds, seconds, 0}));
  return trials;
}

double chance_of(const Outlook& outlook, int candidate) {
  for (const Outlook::Chance& one : outlook.chances())
    if (one.candidate == candidate) return one.probability;
  ADD_FAILURE() << candidate << " is tried, or cannot serve";
  return -1;
}

TEST(Outlook, ExpectsOfOthersWhatTheirValuesDid) {
  const Brief brief = halo_set();
  const auto named = [&](const char* name) { return candidate_named(brief, name); };
  const Trials trials = tried(brief, {{named("IsendIrecv_aao"), 10e-3},
                                      {named("IsendIrecv_pair"), 1e-3},
                                      {named("IsendIrecv_aao_pack"), 10e-3},
                                      {named("SendIrecv_pair"), 1.1e-3},
                                      {named("PostStartPut_pair"), 1.05e-3}});
  const Outlook outlook(AttributeSpace(brief.candidates), trials, 0.02);
  EXPECT_EQ(outlook.chances().size(), 15U);
  for (const char* slow : {"SendIrecv_aao", "PostStartPut_aao"}) {
    EXPECT_LT(chance_of(outlook, named(slow)), 0.06) << slow << ", after five of twenty";
    EXPECT_GT(chance_of(outlook, named("IsendIrecv_pair_pack")), 5 * chance_of(outlook, named(slow)));
  }
  EXPECT_GT(outlook.of_any(), chance_of(outlook, named("IsendIrecv_pair_pack")));
  for (const Outlook::Chance& one : outlook.chances()) {
    const bool is_slow = value_of(brief.candidates[static_cast<std::size_t>(one.candidate)], "partners") == "aao";
    EXPECT_EQ(one.expected.seconds() > 3e-3, is_slow) << one.candidate << ": " << one.expected.seconds();
    EXPECT_GT(one.expected.spread, 0);
  }
}

/// With partners one at a time calls take ten times as long, and neither of the other two attributes matters.
TEST(Outlook, LearnsThatOneAttributeMattersMost) {
  const Brief brief = halo_set();
  const auto named = [&](const char* name) { return candidate_named(brief, name); };
  const Trials trials = tried(brief, {{named("IsendIrecv_aao"), 1e-3},
                                      {named("IsendIrecv_pair"), 10e-3},
                                      {named("IsendIrecv_aao_pack"), 1e-3},
                                      {named("SendIrecv_aao"), 1.01e-3}});
  const Outlook outlook(AttributeSpace(brief.candidates), trials, 0.02);
  for (const Outlook::Chance& one : outlook.chances()) {
    const bool is_slow = value_of(brief.candidates[static_cast<std::size_t>(one.candidate)], "partners") == "pair";
    EXPECT_EQ(one.expected.seconds() > 5e-3, is_slow) << one.candidate << ": " << one.expected.seconds();
    EXPECT_GE(one.gain, 0) << one.candidate;
  }
}

/// One way through a window takes ten times as long as messages do.
TEST(Outlook, ExpectsThatAKindIsAlike) {
  Brief brief = halo_set();
  const auto named = [&](const char* name) { return candidate_named(brief, name); };
  const Trials trials = tried(brief, {{named("IsendIrecv_aao"), 1e-3},
                                      {named("IsendIrecv_pair"), 1.1e-3},
                                      {named("SendIrecv_aao"), 1.02e-3},
                                      {named("WinfencePut_aao"), 10e-3}});
  const auto expected = [&](const char* name) {
    return Outlook(AttributeSpace(brief.candidates), trials, 0.02).expected(named(name));
  };
  EXPECT_GT(expected("PostStartGet_aao"), 5e-3);
  EXPECT_LT(expected("SendRecv_pair"), 3e-3);
  for (Candidate& one : brief.candidates.own()) one.kind = "";
  EXPECT_LT(expected("PostStartGet_aao"), 5e-3);
}

TEST(Outlook, WithoutAttributesAllAreExpectedToBeAlike) {
  const Brief brief = brief_of(8);
  const AttributeSpace space(brief.candidates);
  const Outlook few(space, tried(brief, {{0, 1e-3}, {1, 1.3e-3}}), 0.02);
  EXPECT_DOUBLE_EQ(chance_of(few, 3), chance_of(few, 7));
  const Outlook alike(
      space, tried(brief, {{0, 1e-3}, {1, 1.001e-3}, {2, 1e-3}, {3, 0.999e-3}, {4, 1e-3}, {5, 1.002e-3}}), 0.3);
  EXPECT_LT(alike.of_any(), 0.01) << "none of those tried differs, so why should another save 30 %?";
  EXPECT_GT(few.of_any(), alike.of_any());
}

TEST(Outlook, LeavesOutWhoCannotServe) {
  Brief brief = brief_of(4);
  brief.candidates.own()[3].refusal = "cannot be";
  Trials trials = tried(brief, {{0, 1e-3}});
  trials.add(1, std::vector<AgreedCall>{{refused_seconds, refused_seconds, 0}});
  const Outlook outlook(AttributeSpace(brief.candidates), trials, 0.02);
  ASSERT_EQ(outlook.chances().size(), 1U);
  EXPECT_EQ(outlook.chances()[0].candidate, 2);
}

/// Probabilities are worth what they say: of all that are told, as many come true.
TEST(Outlook, IsTrueAsOftenAsItSays) {
  const Brief brief = halo_set();
  const AttributeSpace space(brief.candidates);
  double expected = 0;
  int better = 0;
  int unlikely = 0;
  int unlikely_but_better = 0;
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    const Case one = made_up_case(brief, 1.05 + (0.0015 * static_cast<double>(seed)), 0.3, seed);
    std::vector<std::pair<int, double>> times;
    Chance chance(seed);
    for (int i = 0; i < 20; ++i)
      if (chance.next() < 0.4) times.emplace_back(i, one.seconds[static_cast<std::size_t>(i)]);
    if (times.size() < 4) continue;
    const Trials trials = tried(brief, times);
    const double goal = 0.98 * trials.time(trials.best());
    const Outlook outlook(space, trials, 0.02);
    for (const Outlook::Chance& it : outlook.chances()) {
      const bool is_better = one.seconds[static_cast<std::size_t>(it.candidate)] < goal;
      expected += it.probability;
      if (is_better) ++better;
      if (it.probability < 0.01) {
        ++unlikely;
        if (is_better) ++unlikely_but_better;
      }
    }
  }
  EXPECT_NEAR(expected / better, 1, 0.35);
  EXPECT_GT(unlikely, 300);
  EXPECT_LT(unlikely_but_better, 0.02 * unlikely);
}

}  // namespace
}  // namespace starling::testing
