#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <iterator>
#include <utility>

#include "lockstep.hpp"
#include "selection/guard.hpp"
#include "selection/strategy.hpp"

namespace starling::testing {
namespace {

double some_time(int rank, int candidate, int call) {
  return 1e-6 * (1 + ((rank + (3 * candidate) + (5 * call)) % 7));
}

Lockstep following(std::vector<Advice> advice, int refused = -1) {
  Brief brief = brief_of(4);
  brief.advice = std::move(advice);
  if (refused >= 0) brief.candidates.own()[static_cast<std::size_t>(refused)].refusal = "4 does not divide 7";
  Lockstep ranks("table", std::move(brief), 3, some_time);
  ranks.call(20);
  return ranks;
}

TEST(Table, FollowsTheNearestEntryAndAsksNobody) {
  const Lockstep ranks = following({{"a2", "a2: measured here"}, {"a1", "a1: measured elsewhere"}});
  EXPECT_EQ(ranks.made(), std::vector<int>(20, 2));
  EXPECT_TRUE(ranks.exchanges().empty());
  EXPECT_EQ(ranks.strategy().stage(), "table");
  EXPECT_FALSE(ranks.strategy().exploring());
  ASSERT_EQ(ranks.strategy().decisions().size(), 1U);
  EXPECT_EQ(ranks.strategy().decisions()[0].to, 2);
  EXPECT_EQ(ranks.strategy().decisions()[0].why, "a2: measured here");
}

TEST(Table, TakesTheNextEntryWhereTheNearestCannotServe) {
  const Lockstep ranks = following({{"a2", "a2: measured here"}, {"a1", "a1: measured elsewhere"}}, 2);
  EXPECT_EQ(ranks.proposed(), 1);
  EXPECT_EQ(ranks.strategy().decisions()[0].why,
            "a1: measured elsewhere; a2 of a nearer entry cannot serve here: 4 does not divide 7");
}

TEST(Table, IsNativeWhereNothingServes) {
  const Lockstep ranks = following({{"a2", "a2: measured here"}, {"gone", "gone: measured elsewhere"}}, 2);
  EXPECT_EQ(ranks.made(), std::vector<int>(20, 0));
  EXPECT_EQ(ranks.strategy().stage(), "native");
  EXPECT_EQ(ranks.strategy().decisions()[0].to, 0);
  EXPECT_EQ(ranks.strategy().decisions()[0].why,
            "native: nothing that the table has can serve here; a2 of a nearer entry cannot serve here: 4 does not "
            "divide 7; gone of a nearer entry cannot serve here");
}

TEST(Table, IsNativeWhereTheTableHasNothing) {
  const Lockstep ranks = following({});
  EXPECT_EQ(ranks.proposed(), 0);
  EXPECT_EQ(ranks.strategy().decisions()[0].why, "native: the table has nothing for this context");
}

TEST(Table, MayHaveNativeLikeAnyOther) {
  const Lockstep ranks = following({{"native", "native: nothing is faster"}, {"a1", "a1: measured elsewhere"}});
  EXPECT_EQ(ranks.proposed(), 0);
  EXPECT_EQ(ranks.strategy().stage(), "table");
}

/// Ranks that follow a2, of which a call takes so many times as long as natively, in the mean; times scatter by 3 %.
Lockstep with_slowdown(double slowdown, std::optional<double> gain = std::nullopt) {
  Brief brief = brief_of(4);
  brief.synchronises = true;
  brief.advice = {{"a2", "a2: measured elsewhere", gain}};
  return {"table", std::move(brief), 3, [slowdown](int rank, int candidate, int call) {
            const double scattered = 1 + (0.01 * ((((3 * rank) + (5 * call)) % 7) - 3));
            return 100 * us * scattered * (candidate == 2 ? slowdown : 1);
          }};
}

/// Ranks that follow a2, which the table has for 1.28 times as fast as native and calls of so many seconds.
Lockstep advised_of_seconds(double seconds, int communicators = 0) {
  Brief brief = brief_of(4);
  brief.advice = {{"a2", "a2: measured elsewhere", 1.28, seconds, communicators}};
  return {"table", std::move(brief), 3, [](int, int candidate, int) { return us * (candidate == 2 ? 80 : 100); }};
}

int calls_before(Lockstep ranks) {
  int calls = 0;
  while (calls < 100 && ranks.proposed() == 0) {
    ranks.call();
    ++calls;
  }
  return calls;
}

TEST(TableBeginning, ComesWhenCallsWouldHaveSavedWhatItCosts) {
  // A call takes 102 us natively and 80 us by the way; to begin costs 3 native calls, with communicators 15.
  EXPECT_EQ(calls_before(advised_of_seconds(80 * us)), 14);
  EXPECT_EQ(calls_before(advised_of_seconds(80 * us, 3)), 64) << "at most";
  EXPECT_EQ(calls_before(advised_of_seconds(80 * us, 1)), 64);
  // Of long calls each saves more than small collectives cost: 0.4 s, and 3 ms or 15 ms at most.
  EXPECT_EQ(calls_before(advised_of_seconds(1.6, 1)), 1);
  EXPECT_EQ(calls_before(advised_of_seconds(0.016, 1)), 4);
}

TEST(TableBeginning, IsAtOnceWhereNothingIsKnownOfTheTime) {
  for (const std::optional<double> gain : {std::optional<double>(), std::optional(1.0), std::optional(0.5)}) {
    Brief brief = brief_of(4);
    brief.advice = {{"a2", "a2: measured elsewhere", gain, 1e-4}};
    EXPECT_EQ(Lockstep("table", std::move(brief), 3, some_time).proposed(), 2);
  }
  EXPECT_EQ(with_slowdown(0.8, 1.25).proposed(), 2) << "no seconds";
}

TEST(TableBeginning, IsToldAndKnownAhead) {
  Lockstep ranks = advised_of_seconds(80 * us);
  constexpr int before = 14;
  const std::int64_t of_way = Guard::first_calls_with(1.28);
  const std::int64_t until = before + of_way + Guard::control_calls;
  EXPECT_EQ(ranks.strategy().chosen(), 0) << "what a short program ends with";
  ASSERT_EQ(ranks.strategy().decisions().size(), 1U);
  EXPECT_EQ(ranks.strategy().decisions()[0].to, 0);
  EXPECT_EQ(ranks.strategy().decisions()[0].why,
            "a2: measured elsewhere; natively for 14 calls before, so that its beginning pays");
  for (int made = 0; made < until; ++made, ranks.call()) {
    EXPECT_EQ(ranks.strategy().calls_until_agreement(), until - made);
    for (std::int64_t ahead = 0; made + ahead <= until; ++ahead) {
      const std::int64_t call = made + ahead;
      const bool is_native = call < before || (call >= before + of_way && call < until);
      EXPECT_EQ(ranks.strategy().proposed_after(ahead), is_native ? 0 : 2) << made << " + " << ahead;
    }
  }
  EXPECT_EQ(ranks.exchanges().size(), 1U);
  EXPECT_EQ(ranks.strategy().chosen(), 2);
  ASSERT_EQ(ranks.strategy().decisions().size(), 2U);
  EXPECT_EQ(ranks.strategy().decisions()[1].call, before);
  EXPECT_EQ(ranks.strategy().decisions()[1].to, 2);
  EXPECT_EQ(ranks.strategy().decisions()[1].why, "a2: as the table has it, after the calls that pay for its beginning");
}

/// Of a contest that two controls began, and that tells: the way's spell before them, then two of native and one of the
/// way.
constexpr int contest_calls = 3 * Guard::spell_calls;

std::ptrdiff_t natives(const Lockstep& ranks) {
  return std::count(ranks.made().begin(), ranks.made().end(), 0);
}

TEST(TableGuard, MakesNoControlInAShortProgram) {
  Lockstep ranks = with_slowdown(0.5);
  ranks.call(Guard::first_calls);
  EXPECT_EQ(natives(ranks), 0);
  EXPECT_TRUE(ranks.exchanges().empty());
}

TEST(TableGuard, LeavesAWayThatIsSlowerThanNative) {
  Lockstep ranks = with_slowdown(1.1);
  const int until = 2 * (Guard::first_calls + Guard::control_calls);
  ranks.call(until + 1000);
  EXPECT_EQ(natives(ranks), (2 * Guard::control_calls) + 1000 - Guard::spell_calls);
  EXPECT_EQ(ranks.exchanges().size(), 2U + 3U + 2U) << "spells of the contest, and looks after 128 and 512 calls";
  EXPECT_EQ(ranks.strategy().chosen(), 0);
  EXPECT_EQ(ranks.strategy().stage(), "native");
  ASSERT_EQ(ranks.strategy().decisions().size(), 2U);
  const Decision& left = ranks.strategy().decisions()[1];
  EXPECT_EQ(left.call, until + contest_calls);
  EXPECT_EQ(left.from, 2);
  EXPECT_EQ(left.to, 0);
  EXPECT_EQ(left.why, "native: a2 takes 110 us in the mean of ranks, with waiting, native 100 us");
}

/// Ranks that follow a2. Natively they drift apart after so many calls, and a call takes 170 us instead of 100.
Lockstep drifting(double way, int after) {
  Lockstep ranks = with_slowdown(1);
  ranks.measure([way, after, latest = -1, in_a_row = 0](int, int candidate, int call) mutable {
    if (std::exchange(latest, call) != call) in_a_row = candidate == 0 ? in_a_row + 1 : 0;
    return us * (candidate == 2 ? way : in_a_row > after ? 170 : 100);
  });
  return ranks;
}

constexpr int two_controls = 2 * (Guard::first_calls + Guard::control_calls);

TEST(TableGuard, KeepsAWayThatOnlyControlsFindSlower) {
  Lockstep ranks = drifting(110, 10);
  ranks.call(two_controls);
  for (int made = 0; made < 2 * Guard::spell_calls; ++made, ranks.call()) {
    EXPECT_EQ(ranks.proposed(), 0) << "the contest goes on with native";
    EXPECT_EQ(ranks.strategy().chosen(), 2);
    EXPECT_FALSE(ranks.strategy().settled()) << "what the way needs stays";
    const std::int64_t left = Guard::spell_calls - (made % Guard::spell_calls);
    EXPECT_EQ(ranks.strategy().calls_until_agreement(), left);
    EXPECT_EQ(ranks.strategy().proposed_after(left + 5), 0) << "unknown before they agree";
  }
  EXPECT_EQ(ranks.proposed(), 2);
  ranks.call(Guard::spell_calls);
  EXPECT_EQ(ranks.proposed(), 2) << "the way has won";
  EXPECT_EQ(ranks.strategy().decisions().size(), 1U) << "nothing has changed";
  const std::ptrdiff_t before = natives(ranks);
  ranks.call(20000);
  EXPECT_EQ(ranks.proposed(), 2);
  EXPECT_LE(natives(ranks) - before, 20000 * 3 / 200) << "contests are rare";
}

TEST(TableGuard, ComesBackOnceNativeHasBecomeSlowerThanTheWayWas) {
  Lockstep ranks = drifting(110, (2 * Guard::spell_calls) + Guard::control_calls);
  ranks.call(two_controls + contest_calls);
  EXPECT_EQ(ranks.strategy().stage(), "native");
  EXPECT_TRUE(ranks.strategy().settled()) << "what the way needs is freed";
  ranks.call(Guard::first_rest);
  EXPECT_EQ(ranks.proposed(), 0) << "one look is not enough";
  ranks.call(Guard::first_rest);
  EXPECT_EQ(ranks.proposed(), 2) << "one more spell of the way";
  EXPECT_EQ(ranks.strategy().chosen(), 0);
  ranks.call(Guard::first_rest);
  EXPECT_EQ(ranks.strategy().chosen(), 2);
  ASSERT_EQ(ranks.strategy().decisions().size(), 3U);
  const Decision& back = ranks.strategy().decisions()[2];
  EXPECT_EQ(back.call, two_controls + contest_calls + (3 * Guard::first_rest));
  EXPECT_EQ(back.from, 0);
  EXPECT_EQ(back.to, 2);
  EXPECT_EQ(back.why, "a2 again: a2 takes 110 us in the mean of ranks, with waiting, native 170 us");
}

TEST(TableGuard, LetsSpellsTakeTurnsUntilTheyTell) {
  // Stretches scatter by 30 %, so that a spell of each does not tell.
  Lockstep ranks = with_slowdown(1);
  ranks.measure([](int, int candidate, int call) {
    if (call < two_controls) return us * (candidate == 2 ? 120 : 100);
    const int place = (call / 8) % 5;
    return us * (candidate == 2 ? 125 : 150) * (1 + (0.2 * (place - 2)));
  });
  ranks.call(two_controls + 8 * Guard::spell_calls);
  EXPECT_EQ(ranks.strategy().decisions().size(), 1U);
  EXPECT_GT(natives(ranks), (2 * Guard::control_calls) + (2 * Guard::spell_calls)) << "not after one spell";
  ranks.call(3000);
  EXPECT_EQ(ranks.proposed(), 2);
}

TEST(TableGuard, LooksAtNativeFourTimesAsRarelyEachTime) {
  Lockstep ranks = with_slowdown(1.1);
  constexpr int lost = two_controls + contest_calls;
  ranks.call(lost);
  std::vector<int> looks;
  for (std::size_t known = ranks.exchanges().size(); looks.size() < 4; ranks.call()) {
    if (ranks.exchanges().size() == known) continue;
    known = ranks.exchanges().size();
    looks.push_back(static_cast<int>(ranks.made().size()) - lost);
  }
  EXPECT_EQ(looks, (std::vector<int>{128, 128 + 512, 640 + 2048, 2688 + 4096}));
}

TEST(TableGuard, LooksAgainFourTimesAsLateAfterASpellThatALookBegan) {
  Lockstep ranks = with_slowdown(1);
  constexpr int longer = two_controls + contest_calls;
  ranks.measure([](int, int candidate, int call) { return us * (call > longer ? 170 : candidate == 2 ? 110 : 100); });
  std::vector<int> stretches;
  int latest = 0;
  for (std::size_t known = 0; ranks.made().size() < 2000; ranks.call()) {
    if (ranks.exchanges().size() == known) continue;
    known = ranks.exchanges().size();
    const auto now = static_cast<int>(ranks.made().size());
    stretches.push_back(now - std::exchange(latest, now));
  }
  const std::vector<int> long_ones = [&] {
    std::vector<int> found;
    std::copy_if(stretches.begin(), stretches.end(), std::back_inserter(found), [](int one) { return one > 100; });
    return found;
  }();
  EXPECT_EQ(long_ones, (std::vector<int>{128, 128, 128, 512})) << "the third is the way's spell";
  EXPECT_GT(stretches.size(), 6U);
}

TEST(TableGuard, RestsOnItsLatestControls) {
  // After many controls the way becomes slower.
  Lockstep ranks = with_slowdown(1);
  constexpr int many = 60000;
  ranks.measure([](int, int candidate, int call) { return us * (candidate == 2 ? (call < many ? 60 : 130) : 100); });
  ranks.call(many + (6 * Guard::rarest));
  EXPECT_EQ(ranks.proposed(), 0);
}

TEST(TableGuard, ComparesSpellsWithAllWaiting) {
  // The last rank waits for nobody, and ranks come late with both: only the mean tells that native makes them wait
  // longer.
  Lockstep ranks = with_slowdown(1);
  ranks.measure([latest = -1, in_a_row = 0](int rank, int candidate, int call) mutable {
    if (std::exchange(latest, call) != call) in_a_row = candidate == 0 ? in_a_row + 1 : 0;
    const double waiting = candidate == 2 ? 300 : in_a_row > 3 ? 600 : 200;
    return us * ((candidate == 2 ? 60 : 40) + ((rank + call) % 3 == 0 ? 0 : waiting));
  });
  ranks.call(1000);
  EXPECT_EQ(ranks.proposed(), 2);
}

TEST(TableGuard, StaysWithNativeThatDriftsButIsFaster) {
  Lockstep ranks = drifting(200, 10);
  ranks.call(20000);
  EXPECT_EQ(ranks.proposed(), 0);
  EXPECT_EQ(ranks.strategy().decisions().size(), 2U);
}

TEST(TableGuard, IsNotFooledByTimesThatBecomeLongerForAll) {
  Lockstep ranks = with_slowdown(1);
  constexpr int longer = two_controls + contest_calls;
  ranks.measure([](int, int candidate, int call) { return us * (call > longer ? 170 : candidate == 2 ? 110 : 100); });
  ranks.call(5000);
  EXPECT_EQ(ranks.proposed(), 0);
  EXPECT_EQ(ranks.strategy().decisions().size(), 2U);
  constexpr std::int64_t of_contest = Guard::spell_calls;
  EXPECT_EQ(5000 - natives(ranks), (2 * Guard::first_calls) + of_contest + Guard::first_rest) << "one more spell";
}

TEST(TableGuard, ADisturbanceDuringOneLookBringsNoWayBack) {
  Lockstep ranks = with_slowdown(1);
  constexpr int lost = two_controls + contest_calls;
  ranks.measure([](int, int candidate, int call) {
    const bool disturbed = call > lost && call <= lost + Guard::first_rest;
    return us * (candidate == 2 ? 300 : disturbed ? 900 : 100);
  });
  ranks.call(5000);
  EXPECT_EQ(5000 - natives(ranks), (2 * Guard::first_calls) + Guard::spell_calls);
}

TEST(TableGuard, ASpellThatIsALittleSlowerBringsNoWayBack) {
  Lockstep ranks = with_slowdown(1);
  constexpr int longer = two_controls + contest_calls;
  ranks.measure([](int, int candidate, int call) { return us * (candidate == 2 ? 110 : call > longer ? 114 : 100); });
  ranks.call(5000);
  EXPECT_EQ(5000 - natives(ranks), (2 * Guard::first_calls) + Guard::spell_calls);
}

TEST(TableGuard, LooksSoonerAtAWayThatPromisesLess) {
  const std::pair<double, std::int64_t> first_controls[] = {{0.9, 8}, {1.08, 8}, {1.5, 15}, {1.8, 24}, {1e9, 24}};
  for (const auto& [gain, calls] : first_controls) {
    Lockstep ranks = with_slowdown(0.5, gain);
    ranks.call(static_cast<int>(calls));
    EXPECT_EQ(natives(ranks), 0) << gain;
    ranks.call();
    EXPECT_EQ(natives(ranks), 1) << gain;
  }
}

TEST(TableGuard, LeavesAWayThatPromisesLittleAndIsSlowerAfterOneMoreSpell) {
  Lockstep ranks = with_slowdown(1.1, 1.08);
  ranks.call(22 + 1000);
  EXPECT_EQ(natives(ranks), 6 + 1000 - Guard::spell_calls) << "8 calls before are too few to tell";
}

TEST(TableGuard, LeavesAWayThatIsSlowerByThreePercentOnceTimesTellThat) {
  Lockstep ranks = with_slowdown(1.03);
  ranks.call(10000);
  EXPECT_EQ(ranks.proposed(), 0);
}

TEST(TableGuard, ControlsAFasterWayEverMoreRarely) {
  Lockstep ranks = with_slowdown(0.7);
  ranks.call(10000);
  EXPECT_EQ(ranks.proposed(), 2);
  EXPECT_EQ(ranks.strategy().chosen(), 2);
  EXPECT_EQ(natives(ranks), 5 * Guard::control_calls);  // after 24, 96, 384, 1536 and 4096 calls of the way
  EXPECT_EQ(ranks.strategy().decisions().size(), 1U);
}

TEST(TableGuard, FollowsAWayThatIsAsFastAsNative) {
  Lockstep ranks = with_slowdown(1);
  ranks.call(10000);
  EXPECT_EQ(ranks.strategy().chosen(), 2);
}

TEST(TableGuard, BelievesNoSingleDisturbance) {
  Lockstep ranks = with_slowdown(0.9);
  ranks.measure([](int, int candidate, int call) { return us * (candidate == 2 ? (call < 30 ? 150 : 90) : 100); });
  ranks.call(2000);
  EXPECT_EQ(ranks.strategy().chosen(), 2);
}

TEST(TableGuard, LeavesAWayThatCannotServeAfterAll) {
  Lockstep ranks = with_slowdown(0.9);
  ranks.measure([](int, int candidate, int) { return candidate == 2 ? refused_seconds : 100 * us; });
  ranks.call(Guard::first_calls + Guard::control_calls);
  EXPECT_EQ(ranks.proposed(), 0);
  EXPECT_EQ(ranks.strategy().decisions()[1].why, "native: a2 cannot serve here");
}

TEST(TableGuard, KnowsAheadWhichCallsAreControls) {
  Lockstep ranks = with_slowdown(0.9);
  const std::int64_t until = Guard::first_calls + Guard::control_calls;
  for (int made = 0; made < until; ++made, ranks.call()) {
    EXPECT_EQ(ranks.strategy().calls_until_agreement(), until - made);
    for (std::int64_t ahead = 0; made + ahead < until; ++ahead)
      EXPECT_EQ(ranks.strategy().proposed_after(ahead), made + ahead < Guard::first_calls ? 2 : 0);
    EXPECT_EQ(ranks.strategy().proposed_after(until - made), 2);
    EXPECT_EQ(ranks.strategy().settled(), made < Guard::first_calls);
  }
}

TEST(TableGuard, ComparesCallsOfDifferentWork) {
  Brief brief = brief_of(4);
  brief.advice = {{"a2", "a2: measured elsewhere"}};
  brief.varying_work = true;
  const auto work = [](int call) { return call % 27 < 24 ? 8000.0 : 1000.0; };
  Lockstep ranks(
      "table", std::move(brief), 3,
      [&](int, int candidate, int call) { return us * (10 + (work(call) / (candidate == 2 ? 100.0 : 80.0))); },
      [&](int, int call) { return work(call); });
  ranks.call(2 * (Guard::first_calls + Guard::control_calls));
  EXPECT_EQ(ranks.proposed(), 2) << "larger calls take longer, and are no slowdown";
}

TEST(TableGuard, ComparesSpellsOfCallsInWhichOneRankHasMostOfTheWork) {
  // As in gatherv: the root has all blocks. Sizes vary, so that it is known how both grow: the way takes 60 us where
  // native takes 100 us.
  Brief brief = brief_of(3);
  brief.advice = {{"a2", "a2: measured elsewhere"}};
  brief.varying_work = true;
  double disturbed = 3;
  const auto work = [](int call) { return call % 2 == 0 ? 12000.0 : 4000.0; };
  Lockstep ranks(
      "table", std::move(brief), 16,
      [&](int, int candidate, int call) {
        return us * (candidate == 2 ? disturbed * (4 + (work(call) / 8000 * 56)) : 90 + (work(call) / 8000 * 10));
      },
      [&](int rank, int call) { return rank == 0 ? work(call) : work(call) / 16; });
  ranks.call(two_controls);  // a contest begins, with a spell that was disturbed
  disturbed = 1;
  ranks.call(1000);
  EXPECT_EQ(ranks.proposed(), 2);
}

/// Ranks that follow a2 and may end calls early, which take 100 us natively.
Lockstep ending_early(double way, std::function<double(int candidate)> between, int number = 0) {
  Brief brief = brief_of(4);
  brief.number = number;
  brief.advice = {{"a2", "a2: measured elsewhere"}};
  Lockstep ranks("table", std::move(brief), 3,
                 [way](int, int candidate, int) { return us * (candidate == 2 ? way : 100); });
  ranks.compute(std::move(between));
  return ranks;
}

/// Before the contest that each way has there.
constexpr int before_contest = Guard::first_calls + Guard::control_calls;
/// The shortest of these begins with a spell of its own.
constexpr int paced_contest = 4 * Guard::spell_calls;

TEST(TableFromCallToCall, LeavesAWayThatGainsInCallsButLosesBetweenThem) {
  Lockstep ranks = ending_early(60, [](int candidate) { return us * (candidate == 2 ? 80 : 20); });
  ranks.call(2000);
  EXPECT_EQ(ranks.proposed(), 0);
  ASSERT_EQ(ranks.strategy().decisions().size(), 2U);
  const Decision& left = ranks.strategy().decisions()[1];
  EXPECT_EQ(left.call, before_contest + paced_contest);
  EXPECT_NE(left.why.find(" from call to call, native 120 us"), std::string::npos) << left.why;
}

TEST(TableFromCallToCall, IsOfNoCollectiveThatSynchronisesNorOneWhoseWorkVaries) {
  for (const bool varies : {false, true}) {
    Brief brief = brief_of(4);
    brief.synchronises = !varies;
    brief.varying_work = varies;
    brief.advice = {{"a2", "a2: measured elsewhere"}};
    Lockstep ranks(
        "table", std::move(brief), 3, [](int, int candidate, int) { return us * (candidate == 2 ? 60 : 100); },
        [](int, int) { return 1000.0; });
    ranks.compute([](int candidate) { return us * (candidate == 2 ? 80 : 20); });
    ranks.call(2000);
    EXPECT_EQ(ranks.proposed(), 2) << varies;
    EXPECT_EQ(natives(ranks) % Guard::control_calls, 0) << "no spell";
    EXPECT_LE(natives(ranks), 5 * Guard::control_calls);
  }
}

TEST(TableFromCallToCall, NeedsNoControlInAContest) {
  // The 16 calls of a spell are all the way's, so that the program's pace is not told with native's in it.
  Lockstep ranks = ending_early(60, [](int candidate) { return us * (candidate == 2 ? 80 : 20); });
  ranks.call(before_contest + paced_contest);
  EXPECT_EQ(natives(ranks), Guard::control_calls + (2 * Guard::spell_calls));
  for (int call = 0; call < paced_contest; ++call)
    EXPECT_EQ(ranks.made()[static_cast<std::size_t>(before_contest + call)],
              call < Guard::spell_calls || call >= 3 * Guard::spell_calls ? 2 : 0);
}

TEST(TableFromCallToCall, CountsNothingThatWasBeforeTheContest) {
  // The program had another phase before it, in which it took longer between calls.
  Lockstep ranks = ending_early(60, [made = 0](int) mutable { return us * (++made <= before_contest ? 1000 : 20); });
  ranks.call(2000);
  EXPECT_EQ(ranks.proposed(), 2);
  EXPECT_EQ(natives(ranks), Guard::control_calls + Guard::spell_calls) << "clear at once";
}

TEST(TableGuard, LeavesAWayThatIsRefusedInAContest) {
  Lockstep ranks = with_slowdown(1.1);
  ranks.call(two_controls + (2 * Guard::spell_calls));
  EXPECT_EQ(ranks.proposed(), 2);
  ranks.measure([](int, int candidate, int) { return candidate == 2 ? refused_seconds : 100 * us; });
  ranks.call(Guard::spell_calls);
  EXPECT_EQ(ranks.proposed(), 0);
  EXPECT_EQ(ranks.strategy().decisions()[1].why, "native: a2 cannot serve here");
}

TEST(TableFromCallToCall, NeedsOneSpellOfNativeWhereTheProgramHasWhatCallsGain) {
  Lockstep ranks = ending_early(60, [](int candidate) { return us * (candidate == 2 ? 25 : 20); });
  ranks.call(before_contest + Guard::spell_calls);
  EXPECT_EQ(natives(ranks), Guard::control_calls);
  ranks.call(Guard::spell_calls);
  EXPECT_EQ(natives(ranks), Guard::control_calls + Guard::spell_calls);
  ranks.call(Guard::rarest);
  EXPECT_EQ(natives(ranks), Guard::control_calls + Guard::spell_calls);
  EXPECT_EQ(ranks.strategy().decisions().size(), 1U) << "nothing has changed";
}

TEST(TableFromCallToCall, KeepsAWayWhereTheProgramScattersMoreThanCallsGain) {
  // By chance the program is 5 % slower with the way; it scatters by 15 %.
  Lockstep ranks = ending_early(90, [made = 0](int candidate) mutable {
    return us * ((candidate == 2 ? 2100 : 2000) + ((made++ / Guard::spell_calls) % 2 == 0 ? -300 : 300));
  });
  ranks.call(2000);
  EXPECT_GT(natives(ranks), Guard::control_calls + (2 * Guard::spell_calls)) << "it had a contest";
  EXPECT_EQ(ranks.proposed(), 2);
  EXPECT_EQ(ranks.strategy().decisions().size(), 1U);
}

TEST(TableFromCallToCall, HasContestsOfOneLoopOneAfterTheOther) {
  // A reduce and a bcast in one loop: were both native at once, neither would tell.
  Lockstep second = ending_early(
      60, [](int) { return 20 * us; }, 1);
  constexpr int later = 5 * Guard::spell_calls;
  second.call(before_contest + later + Guard::control_calls + Guard::spell_calls);
  EXPECT_EQ(natives(second), 2 * Guard::control_calls);
  second.call(Guard::spell_calls);
  EXPECT_EQ(natives(second), (2 * Guard::control_calls) + Guard::spell_calls);
}

TEST(TableFromCallToCall, HasContestsThatSlowerControlsBeginOneAfterTheOther) {
  // Of a way that was the faster one, and is no longer: on a network that others use as well, so is that of the first.
  double way = 60;
  Brief brief = brief_of(4);
  brief.number = 1;
  brief.advice = {{"a2", "a2: measured elsewhere"}};
  Lockstep ranks("table", std::move(brief), 3,
                 [&way](int, int candidate, int) { return us * (candidate == 2 ? way : 100); });
  ranks.compute([](int) { return 20 * us; });
  constexpr int later = 5 * Guard::spell_calls;
  ranks.call(before_contest + later + Guard::control_calls + (2 * Guard::spell_calls));
  way = 300;
  ranks.call(Guard::rarest + (2 * Guard::control_calls) + Guard::first_calls);
  const std::int64_t until = natives(ranks);
  EXPECT_EQ(until, (4 * Guard::control_calls) + Guard::spell_calls) << "two slower controls";
  ranks.call(later);
  EXPECT_EQ(natives(ranks), until);
  ranks.call(Guard::control_calls + (2 * Guard::spell_calls));
  EXPECT_EQ(natives(ranks), until + Guard::control_calls + Guard::spell_calls);
}

TEST(Precedence, IsForcedOrNativeThenTheTableThenWhatLearns) {
  const auto chosen = [](std::string_view asked, bool advises) {
    return strategy_for(strategy_named(asked)->first, advises)->name;
  };
  for (const StrategyKind& kind : strategy_kinds()) {
    EXPECT_EQ(chosen(kind.name, false), kind.name);
    EXPECT_EQ(chosen(kind.name, true), kind.learns ? "table" : kind.name);
  }
  EXPECT_EQ(chosen("auto", true), "table");
  EXPECT_EQ(chosen("native", true), "native");
  EXPECT_EQ(chosen("forced", true), "forced");
}

}  // namespace
}  // namespace starling::testing
