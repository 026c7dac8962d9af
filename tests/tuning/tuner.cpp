#include "tuning/tuner.hpp"

#include <gtest/gtest.h>

#include <deque>
#include <functional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "tuning/ranks.hpp"

namespace starling {
namespace {

using testing::brief_of;
using testing::run_ranks;

constexpr int ranks = 3;

/// Candidate 2 is the fastest; every rank measures something else.
double seconds_of(int candidate, int rank) {
  constexpr double times[] = {5e-3, 4e-3, 1e-3, 3e-3};
  return times[candidate] * (1 + (0.01 * rank));
}

Brief four_candidates() {
  Brief brief = brief_of(4);
  brief.settings.iterations = 4;
  return brief;
}

void call(Tuner& tuner, Consensus& consensus, int rank) {
  const Tuner::Turn turn = tuner.begin();
  tuner.end(turn, seconds_of(turn.candidate, rank), 0);
  if (tuner.is_due()) tuner.agree(consensus, SampleReduction::max);
}

class EveryLearner : public ::testing::TestWithParam<std::string> {};

TEST_P(EveryLearner, DoesAsItsStrategyWhereCallsEndInOrder) {
  constexpr int calls = 200;
  testing::Lockstep strategy(GetParam(), four_candidates(), 1, [](int, int candidate, int) {
    return seconds_of(candidate, ranks - 1);  // the slowest rank's
  });
  strategy.call(calls);
  std::vector<std::vector<int>> made(ranks);
  run_ranks(ranks, GetParam(), four_candidates(), [&](int rank, Tuner& tuner, Consensus& consensus) {
    for (int i = 0; i < calls; ++i) {
      made[static_cast<std::size_t>(rank)].push_back(tuner.proposed());
      call(tuner, consensus, rank);
    }
  });
  for (const auto& one : made) EXPECT_EQ(one, strategy.made());
}

/// Up to eight calls are in flight, and end in an order that each rank draws for itself. One in six is blocking: there
/// the ranks are at the same call, and may agree.
TEST_P(EveryLearner, KeepsRanksInStepWhereCallsAreInFlight) {
  constexpr int calls = 3000;
  for (const unsigned seed : {1U, 2U, 3U}) {
    std::vector<std::vector<int>> made(ranks);
    const auto tuners =
        run_ranks(ranks, GetParam(), four_candidates(), [&](int rank, Tuner& tuner, Consensus& consensus) {
          std::mt19937 program(seed);  // the same on all ranks
          std::mt19937 own(seed + 10 + static_cast<unsigned>(rank));
          std::vector<Tuner::Turn> in_flight;
          const auto end_one = [&] {
            const auto which = static_cast<std::ptrdiff_t>(own() % in_flight.size());
            const Tuner::Turn turn = in_flight[static_cast<std::size_t>(which)];
            in_flight.erase(in_flight.begin() + which);
            tuner.end(turn, seconds_of(turn.candidate, rank), 0);
          };
          for (int i = 0; i < calls; ++i) {
            const bool blocking = program() % 6 == 0;
            const Tuner::Turn turn = blocking ? tuner.begin() : tuner.begin_in_flight();
            made[static_cast<std::size_t>(rank)].push_back(turn.candidate);
            if (!blocking) {
              in_flight.push_back(turn);
              while (in_flight.size() > 8 || (!in_flight.empty() && own() % 3 == 0)) end_one();
              continue;
            }
            tuner.end(turn, seconds_of(turn.candidate, rank), 0);
            if (tuner.is_due()) tuner.agree(consensus, SampleReduction::max);
          }
          while (!in_flight.empty()) end_one();
        });
    EXPECT_EQ(made[1], made[0]);
    EXPECT_EQ(made[2], made[0]);
    EXPECT_EQ(tuners[0]->calls(), calls);
    const auto fast = std::count(made[0].end() - (calls / 4), made[0].end(), 2);
    EXPECT_GT(fast, calls / 8) << "the fastest is found all the same";
  }
}

INSTANTIATE_TEST_SUITE_P(Tuner, EveryLearner, ::testing::ValuesIn(testing::learners()),
                         [](const auto& one) { return testing::test_name(one.param); });

/// A rank that leaves calls in flight for ever: what it tells of them is what it measured before.
TEST(Tuner, DoesNotWaitForCallsInFlight) {
  const auto tuners = run_ranks(2, "star-basic", four_candidates(), [&](int rank, Tuner& tuner, Consensus& consensus) {
    for (int i = 0; i < 15; ++i) {
      const Tuner::Turn turn = tuner.begin_in_flight();
      if (rank == 0 || i % 4 == 0) tuner.end(turn, seconds_of(turn.candidate, rank), 0);
    }
    EXPECT_FALSE(tuner.is_due());
    call(tuner, consensus, rank);
  });
  for (const auto& one : tuners) EXPECT_EQ(one->proposed(), 2);
  EXPECT_EQ(tuners[0]->calls(), 16);
  EXPECT_EQ(tuners[1]->calls(), 5);
}

/// Between the last call that an agreement waits for and the agreement, calls go the native way and teach nothing.
TEST(Tuner, BridgesTheTimeUntilRanksAgree) {
  run_ranks(2, "star-basic", four_candidates(), [&](int rank, Tuner& tuner, Consensus& consensus) {
    std::vector<Tuner::Turn> turns;
    for (int i = 0; i < 20; ++i) turns.push_back(tuner.begin_in_flight());
    for (int i = 0; i < 16; ++i) EXPECT_EQ(turns[static_cast<std::size_t>(i)].candidate, i / 4);
    for (int i = 16; i < 20; ++i) {
      EXPECT_EQ(turns[static_cast<std::size_t>(i)].candidate, 0);
      EXPECT_FALSE(turns[static_cast<std::size_t>(i)].learns);
    }
    for (const Tuner::Turn& turn : turns) tuner.end(turn, turn.learns ? seconds_of(turn.candidate, rank) : 1e-9, 0);
    EXPECT_TRUE(tuner.is_due());
    tuner.agree(consensus, SampleReduction::max);
    EXPECT_EQ(tuner.proposed(), 2);
  });
}

/// A call that MPI refuses on one rank is not made on it, while the others wait in theirs: it does not count.
TEST(Tuner, DoesNotCountACallThatWasNotMade) {
  std::vector<std::vector<int>> made(2);
  run_ranks(2, "star-basic", four_candidates(), [&](int rank, Tuner& tuner, Consensus& consensus) {
    for (int i = 0; i < 100; ++i) {
      if (rank == 1 && i % 7 == 3) {
        const Tuner::Turn refused = tuner.begin();
        EXPECT_EQ(refused.candidate, tuner.proposed());
        // The application's error handler makes the call that the other rank is in.
        made[1].push_back(tuner.proposed());
        call(tuner, consensus, rank);
        continue;
      }
      made[static_cast<std::size_t>(rank)].push_back(tuner.proposed());
      call(tuner, consensus, rank);
    }
  });
  EXPECT_EQ(made[0], made[1]);
}

/// Each rank leaves out other times, of calls in a row that are short on it. What the ranks agree on rests on none of
/// them.
TEST(Tuner, MakesTheSameChoicesWhereShortCallsAreNotTimed) {
  constexpr int calls = 4000;
  Brief brief = brief_of(4);
  brief.synchronises = true;
  brief.settings.stake = 1e-5;
  struct Made {
    std::vector<int> candidates;
    int untimed = 0;
  };
  const auto made = [&](bool may_pass) {
    std::vector<Made> all(2);
    const auto tuners = run_ranks(2, "auto", brief, [&](int rank, Tuner& tuner, Consensus& consensus) {
      std::mt19937 own(static_cast<unsigned>(rank));
      Made& mine = all[static_cast<std::size_t>(rank)];
      for (int i = 0; i < calls; ++i) {
        const Tuner::Turn turn = tuner.begin();
        mine.candidates.push_back(turn.candidate);
        if (may_pass && tuner.may_pass() && own() % 3 != 0) {
          tuner.pass(turn, 0);
          ++mine.untimed;
        } else {
          tuner.end(turn, 1e-4 * seconds_of(turn.candidate, rank), 0);
        }
        if (tuner.is_due()) tuner.agree(consensus, SampleReduction::max);
      }
    });
    ContextRecord record;
    record.candidates.resize(4);
    EXPECT_EQ(tuners[0]->fill_in(record, std::vector{0, 1, 2, 3}), 2);
    EXPECT_EQ(record.calls, calls);
    double seconds = 0;
    for (const int candidate : all[0].candidates) seconds += 1e-4 * seconds_of(candidate, 0);
    EXPECT_NEAR(record.seconds, seconds, 1e-6 * seconds) << "a call that is not timed counts like the next one";
    std::int64_t samples = 0;
    for (const CandidateRecord& one : record.candidates) samples += one.samples;
    EXPECT_EQ(samples, calls);
    return all;
  };
  const std::vector<Made> timed = made(false);
  const std::vector<Made> untimed = made(true);
  for (const int rank : {0, 1}) {
    const Made& one = untimed[static_cast<std::size_t>(rank)];
    EXPECT_EQ(one.candidates, timed[0].candidates);
    EXPECT_GT(one.untimed, calls / 4);
  }
}

/// How many of 8000 native calls are timed, and their seconds as counted over those that they took.
std::pair<int, double> timed(const std::function<double(int)>& seconds_of_call) {
  int timed = 0;
  double all = 0;
  const auto tuners = run_ranks(1, "native", four_candidates(), [&](int, Tuner& tuner, Consensus&) {
    for (int i = 0; i < 8000; ++i) {
      const Tuner::Turn turn = tuner.begin();
      all += seconds_of_call(i);
      if (tuner.may_pass()) {
        tuner.pass(turn, 0);
      } else {
        tuner.end(turn, seconds_of_call(i), 0);
        ++timed;
      }
    }
  });
  ContextRecord record;
  tuners[0]->fill_in(record, {});
  return {timed, record.seconds / all};
}

TEST(Tuner, TimesOneOfFiveToNineShortCallsAndAllLongerOnes) {
  const auto short_ones = timed([](int) { return 0.9e-6; });
  EXPECT_GT(short_ones.first, 8000 / 9);
  EXPECT_LT(short_ones.first, 8000 / 5);
  EXPECT_NEAR(short_ones.second, 1, 1e-6);
  EXPECT_EQ(timed([](int) { return 1.1e-6; }).first, 8000);
}

/// Some calls wait for late ranks. What a context took in all is no less for it.
TEST(Tuner, CountsWhatCallsWaitedThatWereNotTimed) {
  EXPECT_GT(timed([](int i) { return i % 10 == 3 ? 50e-6 : 0.5e-6; }).first, 7900) << "most of the time is waiting";
  for (const int each : {5, 7, 8, 9, 16}) {
    const auto found = timed([&](int i) { return i % each == each - 1 ? 3e-6 : 0.3e-6; });
    EXPECT_LT(found.first, 2000) << each;
    EXPECT_NEAR(found.second, 1, 0.2) << each;
  }
  EXPECT_NEAR(timed([](int i) { return i % 1000 == 500 ? 20e-6 : 0.5e-6; }).second, 1, 0.1);
}

/// A step's first calls make what their candidate needs: they are timed.
TEST(Tuner, TimesTheFirstCallsOfAStep) {
  Brief brief = brief_of(2);
  brief.advice.push_back({brief.candidates[1].name, "as the table has it", 2, 1e-7});
  run_ranks(1, "table", brief, [&](int, Tuner& tuner, Consensus& consensus) {
    int before = -1;
    for (int i = 0; i < 3000; ++i) {
      const Tuner::Turn turn = tuner.begin();
      EXPECT_FALSE(turn.candidate != before && tuner.may_pass()) << i;
      before = turn.candidate;
      if (tuner.may_pass())
        tuner.pass(turn, 0);
      else
        tuner.end(turn, turn.candidate == 1 ? 1e-7 : 2e-7, 0);
      if (tuner.is_due()) tuner.agree(consensus, SampleReduction::max);
    }
  });
}

/// A call that begins while one is in flight has its place behind it, which one without a time has not.
TEST(Tuner, TimesCallsBesideThoseInFlight) {
  run_ranks(1, "native", four_candidates(), [&](int, Tuner& tuner, Consensus&) {
    tuner.end(tuner.begin(), 1e-7, 0);
    EXPECT_TRUE(tuner.may_pass());
    const Tuner::Turn in_flight = tuner.begin_in_flight();
    EXPECT_FALSE(tuner.may_pass());
    tuner.end(in_flight, 1e-7, 0);
    EXPECT_FALSE(tuner.may_pass());
    const Tuner::Turn turn = tuner.begin();
    tuner.end(turn, 1e-7, 0);
    const Tuner::Turn not_served = tuner.begin();
    tuner.pass(not_served, 0, false);
    EXPECT_FALSE(tuner.may_pass()) << "it says so in place of its time";
  });
}

TEST(Tuner, NeverProposesWhatCouldNotServe) {
  const auto tuners = run_ranks(2, "star-basic", four_candidates(), [&](int rank, Tuner& tuner, Consensus& consensus) {
    for (int i = 0; i < 100; ++i) {
      const Tuner::Turn turn = tuner.begin();
      const bool serves = turn.candidate != 2;
      if (!serves) tuner.refuse(2, "no communicator left");
      tuner.end(turn, serves ? seconds_of(turn.candidate, rank) : seconds_of(0, rank), 0, serves);
      if (tuner.is_due()) tuner.agree(consensus, SampleReduction::max);
    }
  });
  EXPECT_EQ(tuners[0]->proposed(), 3);
  EXPECT_FALSE(tuners[0]->eligible(2));
  EXPECT_FALSE(tuners[0]->tried(2)) << "native's time is not the candidate's";
}

TEST(Tuner, TellsWhyTheForcedCandidateDoesNotServe) {
  const Brief brief = four_candidates();
  const std::string forced = "forced:" + brief.candidates[2].name.text();
  const auto tuners = run_ranks(2, forced, brief, [&](int rank, Tuner& tuner, Consensus& consensus) {
    for (int i = 0; i < 3; ++i) call(tuner, consensus, rank);
    const Tuner::Turn turn = tuner.begin();
    tuner.refuse(2, "no communicator left");
    tuner.refuse(2, "no communicator left");
    tuner.end(turn, 1e-6, 0, false);
  });
  ContextRecord record;
  record.candidates.resize(4);
  tuners[0]->fill_in(record, std::vector{0, 1, 2, 3});
  ASSERT_EQ(record.decisions.size(), 2);
  const Decision expected{3, 2, 0, "it cannot serve here: no communicator left"};
  EXPECT_EQ(record.decisions.back(), expected);
  EXPECT_EQ(record.candidates[2].note, "not on every communicator: no communicator left");
}

TEST(Tuner, IsLeftToNativeAtAnyCall) {
  for (const int last : {0, 3, 7, 15, 30}) {
    const auto tuners =
        run_ranks(2, "star-basic", four_candidates(), [&](int rank, Tuner& tuner, Consensus& consensus) {
          for (int i = 0; i < last; ++i) call(tuner, consensus, rank);
          tuner.leave_to_native("buffers may lie elsewhere");
          for (int i = 0; i < 40; ++i) {
            EXPECT_EQ(tuner.proposed(), 0);
            call(tuner, consensus, rank);
          }
        });
    ContextRecord record;
    record.candidates.resize(4);
    EXPECT_EQ(tuners[0]->fill_in(record, std::vector{0, 1, 2, 3}), 0);
    EXPECT_EQ(record.calls, last + 40);
    for (int i = 1; i < 4; ++i) EXPECT_EQ(tuners[0]->refusal(i).text(), "buffers may lie elsewhere");
  }
}

TEST(Tuner, CountsMakingCommunicatorsAsBookkeepingOfTheCandidateAndKeepsItsNote) {
  const auto tuners = run_ranks(2, "star-basic", four_candidates(), [&](int rank, Tuner& tuner, Consensus& consensus) {
    bool made = false;
    for (int i = 0; i < 40; ++i) {
      const Tuner::Turn turn = tuner.begin();
      if (turn.candidate == 2 && !std::exchange(made, true)) {
        tuner.add_setup(turn, 0.5);
        tuner.note(2, "nothing");
      }
      tuner.end(turn, seconds_of(turn.candidate, rank), 0);
      if (tuner.is_due()) tuner.agree(consensus, SampleReduction::max);
    }
  });
  ContextRecord record;
  record.candidates.resize(3);
  EXPECT_EQ(tuners[0]->fill_in(record, std::vector<int>{0, 1, 2}), 2) << "it is still the fastest";
  EXPECT_FALSE(record.candidates[0].setup_s);
  EXPECT_FALSE(record.candidates[1].setup_s);
  EXPECT_EQ(record.candidates[2].setup_s, 0.5);
  EXPECT_EQ(record.candidates[1].note, "");
  EXPECT_EQ(record.candidates[2].note, "nothing");
  EXPECT_EQ(record.exploring.bookkeeping_seconds, 0.5);
  EXPECT_LT(record.seconds, 0.5);
}

TEST(Tuner, CountsWhatIsMadeReadyBeforeACallAsBookkeeping) {
  const auto tuners = run_ranks(2, "star-basic", four_candidates(), [&](int rank, Tuner& tuner, Consensus& consensus) {
    for (int i = 0; i < 40; ++i) {
      const Tuner::Turn turn = tuner.begin();
      tuner.add_preparation(turn, turn.exploring ? 0.25 : 0.5);
      tuner.end(turn, seconds_of(turn.candidate, rank), 0);
      if (tuner.is_due()) tuner.agree(consensus, SampleReduction::max);
    }
  });
  ContextRecord record;
  tuners[0]->fill_in(record, {});
  EXPECT_EQ(record.exploring.bookkeeping_seconds, 16 * 0.25);
  EXPECT_EQ(record.settled.bookkeeping_seconds, 24 * 0.5);
}

TEST(Tuner, KeepsTheMedianOfACandidateThatRests) {
  const auto tuners = run_ranks(1, "star-basic", four_candidates(), [&](int /*rank*/, Tuner& tuner, Consensus&) {
    for (int i = 1; i <= 20; ++i)
      for (const int candidate : {0, 1}) tuner.end({-1, candidate, false, false}, i, 0);
    for (const int candidate : {0, 1, 2}) tuner.rest(candidate);
    tuner.end({-1, 0, false, false}, 1000, 0);
  });
  ContextRecord record;
  record.candidates.resize(2);
  tuners[0]->fill_in(record, std::vector<int>{1, 2});
  EXPECT_EQ(record.candidates[0].samples, 20);
  EXPECT_EQ(record.candidates[0].median_s, 10.5) << "of 1 to 20";
  EXPECT_EQ(record.candidates[1].samples, 0) << "it was not tried";
  EXPECT_EQ(record.native_s, 11) << "of all 21 calls";
}

TEST(Tuner, TakesWhatRanksDoOnceForNoCostOfAgreements) {
  const auto agreements = [](double once) {
    Brief brief = four_candidates();
    brief.shares_processors = true;
    brief.synchronises = true;
    int found = 0;
    run_ranks(1, "auto", brief, [&](int rank, Tuner& tuner, Consensus& consensus) {
      for (int i = 0; i < 100; ++i) {
        const Tuner::Turn turn = tuner.begin();
        tuner.end(turn, seconds_of(turn.candidate, rank), 0);
        if (!tuner.is_due()) continue;
        tuner.agree(consensus, SampleReduction::max);
        const bool is_first = found++ == 0;
        tuner.add_bookkeeping(turn, is_first ? 1 : 1e-4, true, is_first ? once : 0);
      }
    });
    return found;
  };
  EXPECT_LE(agreements(0), 2) << "one that takes a second is followed by many calls";
  EXPECT_GE(agreements(1 - 1e-4), 4);
}

/// Rank 0 of rooted collectives may send what it has and go on, far ahead of those on which the program waits.
TEST(Tuner, TellsThatTheProgramTakesAsLongAsItsSlowestRank) {
  Brief brief = brief_of(2);
  brief.advice = {{"a1", "a1: measured elsewhere"}};
  brief.root_gives = true;
  const auto tuners = run_ranks(ranks, "table", brief, [&](int rank, Tuner& tuner, Consensus& consensus) {
    double stretch = 0;
    for (int i = 0; i < 300; ++i) {
      const Tuner::Turn turn = tuner.begin();
      const bool by_way = turn.candidate == 1;
      tuner.end(turn, by_way ? 9e-5 : 1e-4, 0);
      stretch += rank == 0 ? (by_way ? 1e-6 : 2e-6) : by_way ? 3e-4 : 1e-4;
      if (!tuner.is_due()) continue;
      tuner.stretch_took(std::exchange(stretch, 0));
      tuner.agree(consensus, SampleReduction::max);
    }
  });
  for (const auto& one : tuners) EXPECT_EQ(one->proposed(), 0);
}

TEST(Tuner, TellsWhatHappened) {
  const auto tuners = run_ranks(2, "star-basic", four_candidates(), [&](int rank, Tuner& tuner, Consensus& consensus) {
    for (int i = 0; i < 40; ++i) {
      const Tuner::Turn turn = tuner.begin();
      tuner.end(turn, seconds_of(turn.candidate, rank), 0);
      const bool due = tuner.is_due();
      if (due) tuner.agree(consensus, SampleReduction::max);
      if (due || turn.exploring) tuner.add_bookkeeping(turn, 1e-4, due);
    }
  });
  ContextRecord record;
  record.candidates.resize(2);
  EXPECT_EQ(tuners[0]->fill_in(record, std::vector<int>{0, 2}), 2);
  EXPECT_EQ(record.calls, 40);
  EXPECT_EQ(record.stage, "monitor_adapt");
  EXPECT_EQ(record.candidates[0].samples, 4);
  EXPECT_NEAR(record.candidates[0].median_s.value(), 5e-3, 5e-3 / 2048);
  EXPECT_EQ(record.candidates[1].samples, 28);
  EXPECT_EQ(record.exploring.calls, 16);
  EXPECT_NEAR(record.exploring.seconds, 4 * (5e-3 + 4e-3 + 1e-3 + 3e-3), 1e-9);
  EXPECT_NEAR(record.tuning_seconds, record.exploring.seconds - (16 * 1e-3), 16e-3 / 2048);
  EXPECT_NEAR(record.exploring.bookkeeping_seconds, 16e-4, 1e-9);
  EXPECT_NEAR(record.seconds, record.exploring.seconds + record.settled.seconds, 1e-12);
  EXPECT_GT(record.slowest_seconds.value(), record.seconds) << "rank 1 is slower";
  ASSERT_FALSE(record.decisions.empty());
  EXPECT_EQ(record.decisions.front().to, 2);
}

}  // namespace
}  // namespace starling
