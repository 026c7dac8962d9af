// What the checker finds out about the order of steps on different ranks.

#include "schedule/happens_before.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

#include "schedule/checker.hpp"

namespace starling {
namespace {

using Counted = HappensBefore::Counted;

/// The order of the schedules that `build(schedule, rank)` makes, which need not carry out any collective.
HappensBefore order_of(int ranks, Counted counted, const std::function<void(Schedule&, int)>& build) {
  std::vector<Schedule> all;
  for (int rank = 0; rank < ranks; ++rank) {
    all.emplace_back(1);
    build(all.back(), rank);
  }
  HappensBefore order(ranks, counted);
  const CheckResult result = check(Collective::bcast, all, 0, {.blocks = 1}, &order);
  EXPECT_TRUE(result.error.empty() || result.error.find("at the end") != std::string::npos) << result.error;
  return order;
}

StepAt meeting(int rank, std::size_t round) {
  return {rank, round};
}
StepAt local(int rank, std::size_t round) {
  return {rank, round, true};
}

/// Rank 0 works, tells rank 1, which tells rank 2; each in a round of its own.
void chain(Schedule& todo, int rank) {
  todo.round();
  if (rank == 0) todo.round().send(nothing(), 1);
  if (rank == 1) todo.round().receive(nothing(), 0);
  if (rank == 1) todo.round().send(nothing(), 2);
  if (rank == 2) todo.round().receive(nothing(), 1);
  todo.round();
}

TEST(HappensBefore, StepsOfOneRankAreInTheirOrder) {
  const HappensBefore order = order_of(1, Counted::words, [](Schedule& todo, int) {
    todo.round();
    todo.round();
  });
  EXPECT_TRUE(order.before(meeting(0, 0), local(0, 0)));
  EXPECT_TRUE(order.before(local(0, 0), meeting(0, 1)));
  EXPECT_FALSE(order.before(local(0, 0), local(0, 0)));
  EXPECT_FALSE(order.before(meeting(0, 1), local(0, 0)));
}

TEST(HappensBefore, WhatASenderDidBeforeHappensBeforeWhatFollowsTheReceive) {
  const HappensBefore order = order_of(3, Counted::words, chain);
  EXPECT_TRUE(order.before(local(0, 0), local(1, 1))) << "local work of the round in which word arrives";
  EXPECT_TRUE(order.before(local(0, 0), meeting(1, 2)));
  EXPECT_FALSE(order.before(local(0, 0), meeting(1, 1))) << "the round has begun before word arrives";
  EXPECT_FALSE(order.before(local(0, 0), local(1, 0)));
}

TEST(HappensBefore, GoesOnThroughOtherRanks) {
  const HappensBefore order = order_of(3, Counted::words, chain);
  EXPECT_TRUE(order.before(local(0, 0), local(2, 1)));
  EXPECT_TRUE(order.before(meeting(1, 1), meeting(2, 2)));
}

TEST(HappensBefore, TheEndOfASendSaysNothing) {
  const HappensBefore order = order_of(3, Counted::words, chain);
  EXPECT_FALSE(order.before(meeting(0, 1), local(1, 1))) << "the sender's round may last longer";
  EXPECT_FALSE(order.before(local(1, 0), meeting(0, 2)));
  EXPECT_FALSE(order.before(meeting(1, 1), local(0, 2)));
}

TEST(HappensBefore, WordOfOneRoundDoesNotTravelOnInTheSameRound) {
  const HappensBefore order = order_of(3, Counted::words, [](Schedule& todo, int rank) {
    todo.round();
    todo.round().receive(nothing(), (rank + 2) % 3).send(nothing(), (rank + 1) % 3);
  });
  EXPECT_TRUE(order.before(local(0, 0), local(1, 1)));
  EXPECT_FALSE(order.before(local(0, 0), local(2, 1)));
}

TEST(HappensBefore, NothingIsBeforeAnythingOnRanksThatDoNotTalk) {
  const HappensBefore order = order_of(2, Counted::all, [](Schedule& todo, int) {
    todo.round();
    todo.round();
  });
  EXPECT_FALSE(order.before(meeting(0, 0), local(1, 1)));
  EXPECT_FALSE(order.before(meeting(1, 0), local(0, 1)));
}

TEST(HappensBefore, BlocksOrderOnlyWhereTheyAreNeverEmpty) {
  const auto sent = [](Schedule& todo, int rank) {
    todo.round();
    if (rank == 0) todo.round().send(recvbuf(0), 1);
    if (rank == 1) todo.round().receive(recvbuf(0), 0);
  };
  EXPECT_TRUE(order_of(2, Counted::all, sent).before(local(0, 0), local(1, 1)));
  EXPECT_FALSE(order_of(2, Counted::words, sent).before(local(0, 0), local(1, 1)));
}

TEST(HappensBefore, ABarrierOrdersAllItsMembers) {
  const HappensBefore order = order_of(3, Counted::words, [](Schedule& todo, int) {
    todo.round();
    todo.round().join({Collective::barrier, RankSet::consecutive(0, 3), 0, 1, nothing(), nothing()});
  });
  for (const int one : {0, 1, 2})
    for (const int other : {0, 1, 2})
      if (one != other) {
        EXPECT_TRUE(order.before(local(one, 0), local(other, 1)));
        EXPECT_FALSE(order.before(local(one, 0), meeting(other, 1)));
        EXPECT_FALSE(order.before(meeting(one, 1), local(other, 1)));
      }
}

TEST(HappensBefore, ACollectiveWithARootOrdersWhatItsDataDoes) {
  const auto broadcast = [](Counted counted) {
    return order_of(3, counted, [](Schedule& todo, int) {
      todo.round();
      todo.round().join({Collective::bcast, RankSet::consecutive(0, 3), 0, 1, nothing(), recvbuf(0)});
    });
  };
  const HappensBefore order = broadcast(Counted::all);
  EXPECT_TRUE(order.before(local(0, 0), local(2, 1)));
  EXPECT_FALSE(order.before(local(2, 0), local(0, 1))) << "the root hears from nobody";
  EXPECT_FALSE(order.before(local(1, 0), local(2, 1)));
  EXPECT_FALSE(broadcast(Counted::words).before(local(0, 0), local(2, 1))) << "of nothing it may be no message at all";
}

}  // namespace
}  // namespace starling
