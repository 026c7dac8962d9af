// The checker on wrong schedules: each test breaks one rule, and the checker must report the rule, the place and the
// rank.

#include "schedule/checker.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

namespace starling {
namespace {

/// Schedules of `ranks` ranks over `blocks` blocks, each made by `build(schedule, rank)`.
std::vector<Schedule> all_ranks(int ranks, int blocks, const std::function<void(Schedule&, int)>& build) {
  std::vector<Schedule> all;
  for (int rank = 0; rank < ranks; ++rank) {
    all.emplace_back(blocks);
    build(all.back(), rank);
  }
  return all;
}

std::string error_of(Collective collective, const std::vector<Schedule>& all, CheckedCall facts, int root = 0) {
  facts.blocks = all.front().blocks();
  return check(collective, all, root, facts).error;
}

/// Whether the sentence has all of the words.
::testing::AssertionResult says(const std::string& error, const std::vector<std::string>& words) {
  for (const std::string& word : words)
    if (error.find(word) == std::string::npos)
      return ::testing::AssertionFailure() << "\"" << error << "\" lacks \"" << word << "\"";
  return ::testing::AssertionSuccess();
}

/// Two ranks that exchange their blocks of an allgather; tests break this schedule.
void exchange(Schedule& todo, int rank) {
  todo.copy(sendbuf(0), recvbuf(rank));
  todo.round().receive(recvbuf(1 - rank), 1 - rank).send(sendbuf(0), 1 - rank);
}

/// An allreduce of two ranks in rank order.
void add_in_order(Schedule& todo, int rank) {
  const Buffer theirs = todo.add_scratch(1);
  if (rank == 0) {
    todo.round().receive(recvbuf(0), 1).send(sendbuf(0), 1).combine(sendbuf(0), recvbuf(0));
  } else {
    todo.copy(sendbuf(0), recvbuf(0));
    todo.round().receive(at(theirs, 0), 0).send(sendbuf(0), 0).combine(at(theirs, 0), recvbuf(0));
  }
}

TEST(Checker, FindsNothingWrongWithRightSchedules) {
  EXPECT_EQ(error_of(Collective::allgatherv, all_ranks(2, 2, exchange), {}), "");
  EXPECT_EQ(error_of(Collective::allreduce, all_ranks(2, 1, add_in_order), {}), "");
}

/// A gather of two ranks whose blocks have two parts; rank 1 sends them in the order of `parts`.
std::vector<Schedule> gather_in_parts(const std::vector<int>& parts) {
  return all_ranks(2, 4, [&](Schedule& todo, int rank) {
    if (rank == 0) todo.copy(sendbuf(0, 2), recvbuf(0, 2));
    Round& round = todo.round();
    for (int i = 0; i < 2; ++i) {
      if (rank == 0) round.receive(recvbuf(2 + i), 1);
      if (rank == 1) round.send(sendbuf(parts[static_cast<std::size_t>(i)]), 0);
    }
  });
}

TEST(Checker, KnowsThatPartsOfOneNumberAreEquallyLargeAndOthersNot) {
  EXPECT_EQ(error_of(Collective::gather, gather_in_parts({0, 1}), {.uniform = true}), "");
  EXPECT_TRUE(says(error_of(Collective::gather, gather_in_parts({1, 0}), {.uniform = true}), {"differ in size"}));
}

TEST(Checker, FindsAMissingBlock) {
  const auto all = all_ranks(2, 2, [](Schedule& todo, int rank) {
    todo.round().receive(recvbuf(1 - rank), 1 - rank).send(sendbuf(0), 1 - rank);
    if (rank == 0) todo.copy(sendbuf(0), recvbuf(0));
  });
  EXPECT_TRUE(says(error_of(Collective::allgather, all, {.uniform = true}),
                   {"rank 1", "block 1 of rank 1", "recv block 1", "has nothing"}));
}

TEST(Checker, FindsABlockInTheWrongPlace) {
  const auto all = all_ranks(2, 2, [](Schedule& todo, int rank) {
    todo.copy(sendbuf(0), recvbuf(1 - rank));
    todo.round().receive(recvbuf(rank), 1 - rank).send(sendbuf(0), 1 - rank);
  });
  EXPECT_TRUE(says(error_of(Collective::allgather, all, {.uniform = true}),
                   {"rank 0", "recv block 0", "has block 1 of rank 1"}));
}

TEST(Checker, FindsAContributionThatIsCombinedTwice) {
  const auto all = all_ranks(2, 1, [](Schedule& todo, int rank) {
    add_in_order(todo, rank);
    if (rank == 0) todo.combine(sendbuf(0), recvbuf(0));
  });
  EXPECT_TRUE(says(error_of(Collective::allreduce, all, {.commutative = true}),
                   {"rank 0, round 0", "rank 0 contributes twice"}));
}

TEST(Checker, FindsAContributionThatIsMissing) {
  const auto all = all_ranks(3, 1, [](Schedule& todo, int rank) {
    if (rank < 2) add_in_order(todo, rank);
    if (rank == 2) {
      todo.copy(sendbuf(0), recvbuf(0));
    }
  });
  EXPECT_TRUE(says(error_of(Collective::allreduce, all, {}),
                   {"rank 0", "combined over ranks 0 to 2", "has block 0 combined over ranks 0 to 1"}));
}

TEST(Checker, NamesTheRankThatASumLacks) {
  const auto all = all_ranks(3, 1, [](Schedule& todo, int rank) {
    if (rank == 2) todo.round().send(sendbuf(0), 0);
    if (rank == 0) todo.round().receive(recvbuf(0), 2).combine(sendbuf(0), recvbuf(0));
  });
  EXPECT_TRUE(says(error_of(Collective::reduce, all, {.commutative = true}), {"rank 0", "without rank 1"}));
}

TEST(Checker, FindsOperandsOutOfRankOrder) {
  const auto all = all_ranks(2, 1, [](Schedule& todo, int rank) {
    if (rank == 1) todo.round().send(sendbuf(0), 0);
    if (rank == 0) {
      todo.copy(sendbuf(0), recvbuf(0));
      const Buffer theirs = todo.add_scratch(1);
      todo.round().receive(at(theirs, 0), 1).combine(at(theirs, 0), recvbuf(0));
    }
  });
  EXPECT_TRUE(
      says(error_of(Collective::reduce, all, {.commutative = false}), {"rank 0, round 1", "out of rank order"}));
  EXPECT_EQ(error_of(Collective::reduce, all, {.commutative = true}), "");
}

TEST(Checker, FindsBlocksOfDifferentNumberCombined) {
  const auto all = all_ranks(1, 2, [](Schedule& todo, int) {
    todo.copy(sendbuf(0, 2), recvbuf(0, 2));
    const Buffer other = todo.add_scratch(2);
    todo.copy(sendbuf(0, 2), at(other, 0, 2));
    todo.combine(at(other, 1), recvbuf(0));
  });
  EXPECT_TRUE(says(error_of(Collective::allreduce, all, {.uniform = true}), {"combines", "another block"}));
}

TEST(Checker, FindsResultsThatRanksCombineInDifferentOrders) {
  const auto all = all_ranks(2, 1, [](Schedule& todo, int rank) {
    todo.round().receive(recvbuf(0), 1 - rank).send(sendbuf(0), 1 - rank).combine(sendbuf(0), recvbuf(0));
  });
  EXPECT_TRUE(says(error_of(Collective::allreduce, all, {.commutative = true}),
                   {"rank 1", "another order than rank 0", "last bits"}));
}

TEST(Checker, FindsTheDeadlockOfARingThatSendsBeforeItReceives) {
  const auto all = all_ranks(4, 4, [](Schedule& todo, int rank) {
    todo.copy(sendbuf(0), recvbuf(rank));
    for (int step = 0; step < 3; ++step) {
      todo.round().send(recvbuf((rank - step + 4) % 4), (rank + 1) % 4);
      todo.round().receive(recvbuf((rank - step + 3) % 4), (rank + 3) % 4);
    }
  });
  EXPECT_TRUE(says(error_of(Collective::allgather, all, {.uniform = true}),
                   {"rank 0, round 1: waits until rank 1 receives recv block 0", "rank 1 in round 1", "deadlock"}));
}

TEST(Checker, FindsASendThatNobodyReceives) {
  const auto all = all_ranks(2, 2, [](Schedule& todo, int rank) {
    exchange(todo, rank);
    if (rank == 1) todo.round().send(recvbuf(0), 0);
  });
  EXPECT_TRUE(says(error_of(Collective::allgather, all, {.uniform = true}),
                   {"rank 1, round 2", "until rank 0 receives recv block 0", "but rank 0 has finished"}));
}

TEST(Checker, FindsAReceiveThatNobodySends) {
  const auto all = all_ranks(2, 2, [](Schedule& todo, int rank) {
    exchange(todo, rank);
    if (rank == 0) todo.round().receive(recvbuf(0), 1);
  });
  EXPECT_TRUE(says(error_of(Collective::allgather, all, {.uniform = true}),
                   {"rank 0, round 2", "waits for recv block 0 from rank 1", "but rank 1 has finished"}));
}

TEST(Checker, HintsAtALightBarrierOfRanksInRoundsOfDifferentNumber) {
  std::vector<Schedule> all;
  for (int rank = 0; rank < 3; ++rank) {
    // Rank 2 first talks to rank 1, which has talked to rank 0 before.
    Schedule todo(1);
    if (rank == 0) todo.round().send(recvbuf(0), 1);
    if (rank == 1) todo.round().receive(recvbuf(0), 0);
    if (rank == 1) todo.round().send(recvbuf(0), 2);
    if (rank == 2) todo.round().receive(recvbuf(0), 1);
    all.push_back(todo.synchronised(Synchronisation::light_barrier, 3));
  }
  EXPECT_TRUE(says(error_of(Collective::bcast, all, {}),
                   {"an empty message", "order in which each posts them", "rounds of the same number"}));
  const auto alone = all_ranks(2, 2, [](Schedule& todo, int rank) {
    if (rank == 0) todo.round().receive(nothing(), 1);
  });
  const std::string error = error_of(Collective::barrier, alone, {});
  EXPECT_TRUE(says(error, {"waits for an empty message from rank 1, but rank 1 has finished"}));
  EXPECT_EQ(error.find("light"), std::string::npos) << "in a barrier all messages are empty";
}

TEST(Checker, FindsAMessageOfAnotherNumberOfBlocks) {
  const auto all = all_ranks(2, 2, [](Schedule& todo, int rank) {
    if (rank == 0) todo.round().send(recvbuf(0, 2), 1);
    if (rank == 1) {
      todo.round().receive(recvbuf(0), 0);
      todo.round().receive(recvbuf(1), 0);
    }
  });
  EXPECT_TRUE(says(error_of(Collective::bcast, all, {}),
                   {"rank 1, round 0", "rank 0", "recv blocks 0 to 1", "number of blocks"}));
}

TEST(Checker, FindsAMessageOfAnotherSizeUnlessBlocksAreUniform) {
  const auto all = all_ranks(2, 2, [](Schedule& todo, int rank) {
    const Buffer rotated = todo.add_scratch(2);  // should start with the rank's own block
    todo.copy(sendbuf(0), recvbuf(rank));
    todo.round().receive(at(rotated, rank), 1 - rank).send(sendbuf(0), 1 - rank);
    todo.copy(at(rotated, rank), recvbuf(1 - rank));
  });
  EXPECT_TRUE(
      says(error_of(Collective::allgatherv, all, {.uniform = false}), {"rank 1, round 1", "rank 0", "differ in size"}));
  EXPECT_EQ(error_of(Collective::allgather, all, {.uniform = true}), "");
}

TEST(Checker, FindsACopyBetweenSlotsOfDifferentSize) {
  const auto all = all_ranks(2, 2, [](Schedule& todo, int rank) {
    const Buffer wrong = todo.add_scratch(1, 1 - rank);
    todo.copy(sendbuf(0), at(wrong, 0));
  });
  EXPECT_TRUE(says(error_of(Collective::allgatherv, all, {}),
                   {"rank 0, round 0", "copies send block 0 into scratch 0 block 0", "differ in size"}));
}

TEST(Checker, FindsScratchOutOfBounds) {
  const auto all = all_ranks(2, 2, [](Schedule& todo, int rank) {
    exchange(todo, rank);
    const Buffer scratch = todo.add_scratch(1);
    todo.copy(recvbuf(0, 2), at(scratch, 0, 2));
  });
  EXPECT_TRUE(says(error_of(Collective::allgather, all, {.uniform = true}),
                   {"round 1", "scratch 0 blocks 0 to 1, but scratch 0 has 1 block"}));
}

TEST(Checker, FindsABufferThatDoesNotExist) {
  const auto all = all_ranks(1, 1, [](Schedule& todo, int) { todo.copy(sendbuf(0), at(Buffer::scratch, 0)); });
  EXPECT_TRUE(says(error_of(Collective::allgather, all, {}), {"scratch 0", "no such buffer"}));
}

TEST(Checker, FindsTheReceiveBufferOfAReduceUsedAwayFromTheRoot) {
  const auto all = all_ranks(2, 1, [](Schedule& todo, int rank) {
    if (rank == 1) todo.copy(sendbuf(0), recvbuf(0));
  });
  EXPECT_TRUE(says(error_of(Collective::reduce, all, {}),
                   {"rank 1, round 0", "recv block 0, but recv has no blocks on this rank"}));
}

TEST(Checker, FindsMoreScratchBuffersThanTheExecutorHasRoomFor) {
  const auto all = all_ranks(1, 1, [](Schedule& todo, int) {
    todo.copy(sendbuf(0), recvbuf(0));
    for (std::size_t i = 0; i <= most_scratch_buffers; ++i) todo.add_scratch(1);
  });
  EXPECT_TRUE(says(error_of(Collective::allgather, all, {}), {"rank 0", "15 scratch buffers"}));
}

TEST(Checker, FindsAReceiveIntoWhatIsBeingSent) {
  const auto all = all_ranks(2, 2, [](Schedule& todo, int rank) {
    todo.copy(sendbuf(0), recvbuf(rank));
    todo.copy(sendbuf(0), recvbuf(1 - rank));
    todo.round().receive(recvbuf(1 - rank), 1 - rank).send(recvbuf(1 - rank), 1 - rank);
  });
  EXPECT_TRUE(says(error_of(Collective::allgather, all, {.uniform = true}),
                   {"rank 0, round 1", "sends recv block 1 while it receives into it"}));
}

TEST(Checker, FindsTwoReceivesIntoOnePlace) {
  const auto all = all_ranks(2, 2, [](Schedule& todo, int rank) {
    todo.copy(sendbuf(0), recvbuf(rank));
    todo.round()
        .receive(recvbuf(1 - rank), 1 - rank)
        .receive(recvbuf(1 - rank), 1 - rank)
        .send(sendbuf(0), 1 - rank)
        .send(sendbuf(0), 1 - rank);
  });
  EXPECT_TRUE(says(error_of(Collective::allgather, all, {.uniform = true}), {"rank 0, round 1", "recv block 1 twice"}));
}

TEST(Checker, FindsScratchThatIsSentBeforeItIsWritten) {
  const auto all = all_ranks(2, 2, [](Schedule& todo, int rank) {
    const Buffer scratch = todo.add_scratch(2);
    todo.copy(sendbuf(0), recvbuf(rank));
    todo.round().receive(recvbuf(1 - rank), 1 - rank).send(at(scratch, rank), 1 - rank);
  });
  EXPECT_TRUE(says(error_of(Collective::allgather, all, {.uniform = true}),
                   {"rank 0, round 1", "scratch 0 block 0", "never written"}));
}

TEST(Checker, FindsACombineIntoWhatWasNeverWritten) {
  const auto all = all_ranks(1, 1, [](Schedule& todo, int) { todo.combine(sendbuf(0), recvbuf(0)); });
  EXPECT_TRUE(says(error_of(Collective::allreduce, all, {}), {"rank 0, round 0", "recv block 0", "never written"}));
}

TEST(Checker, FindsOverlappingCopies) {
  const auto all = all_ranks(3, 3, [](Schedule& todo, int rank) {
    if (rank == 0) todo.copy(recvbuf(0, 2), recvbuf(1, 2));
  });
  EXPECT_TRUE(says(error_of(Collective::bcast, all, {.uniform = true}), {"rank 0, round 0", "overlap"}));
}

TEST(Checker, LeavesTheSendBufferToTheCaller) {
  const auto received = all_ranks(
      2, 2, [](Schedule& todo, int rank) { todo.round().receive(sendbuf(0), 1 - rank).send(sendbuf(0), 1 - rank); });
  EXPECT_TRUE(
      says(error_of(Collective::allgather, received, {.uniform = true}), {"rank 0, round 0", "writes send block 0"}));
  const auto combined = all_ranks(1, 1, [](Schedule& todo, int) {
    todo.copy(sendbuf(0), recvbuf(0));
    todo.combine(recvbuf(0), sendbuf(0));
  });
  EXPECT_TRUE(says(error_of(Collective::allreduce, combined, {}), {"writes send block 0"}));
}

TEST(Checker, FindsRanksThatDoNotExist) {
  const auto beyond = all_ranks(2, 2, [](Schedule& todo, int) { todo.round().send(sendbuf(0), 2); });
  EXPECT_TRUE(says(error_of(Collective::allgather, beyond, {}), {"rank 0, round 0", "rank 2", "no such rank"}));
  const auto itself = all_ranks(2, 2, [](Schedule& todo, int rank) { todo.round().send(sendbuf(0), rank); });
  EXPECT_TRUE(says(error_of(Collective::allgather, itself, {}), {"rank 0, round 0", "itself"}));
}

TEST(Checker, FindsAScheduleForAnotherNumberOfBlocks) {
  const std::vector<Schedule> all{Schedule(2), Schedule(3)};
  EXPECT_TRUE(says(check(Collective::bcast, all, 0, {.blocks = 2}).error, {"rank 1", "3 blocks instead of 2"}));
}

TEST(Checker, MatchesMessagesOfOnePairInTheOrderOfPosting) {
  const auto swapped = all_ranks(2, 2, [](Schedule& todo, int rank) {
    if (rank == 0) todo.round().send(recvbuf(0), 1).send(recvbuf(1), 1);
    if (rank == 1) todo.round().receive(recvbuf(1), 0).receive(recvbuf(0), 0);
  });
  EXPECT_TRUE(says(error_of(Collective::bcast, swapped, {.uniform = true}),
                   {"rank 1", "recv block 0", "has block 1 of rank 0"}));
}

TEST(Checker, RunsLocalWorkInOrderAfterTheMessages) {
  const auto all = all_ranks(2, 2, [](Schedule& todo, int rank) {
    const Buffer scratch = todo.add_scratch(2);
    todo.round()
        .receive(at(scratch, 1 - rank), 1 - rank)
        .send(sendbuf(0), 1 - rank)
        .copy(at(scratch, 1 - rank), recvbuf(1 - rank))
        .copy(sendbuf(0), at(scratch, 1 - rank))
        .copy(at(scratch, 1 - rank), recvbuf(rank));
  });
  EXPECT_EQ(error_of(Collective::allgather, all, {.uniform = true}), "");
}

// In place

TEST(Checker, InPlaceFindsAReceiveOverWhatIsStillNeeded) {
  const auto all = all_ranks(2, 1, [](Schedule& todo, int rank) {
    const Buffer mine = todo.add_scratch(1);
    todo.round().receive(recvbuf(0), 1 - rank).send(sendbuf(0), 1 - rank);
    if (rank == 0) todo.combine(sendbuf(0), recvbuf(0));
    if (rank == 1) {
      todo.copy(sendbuf(0), at(mine, 0));
      todo.combine(recvbuf(0), at(mine, 0));
      todo.copy(at(mine, 0), recvbuf(0));
    }
  });
  EXPECT_EQ(error_of(Collective::allreduce, all, {}), "");
  EXPECT_TRUE(says(error_of(Collective::allreduce, all, {.in_place = true}),
                   {"rank 0, round 0", "sends send block 0 while it receives into it"}));
}

TEST(Checker, InPlaceLetsDataStayWhereItIs) {
  EXPECT_EQ(error_of(Collective::allgatherv, all_ranks(2, 2, exchange), {.in_place = true}), "");
}

TEST(Checker, InPlaceReduceScatterLosesItsInputWithTheFirstWriteOfItsResult) {
  const auto early = all_ranks(2, 2, [](Schedule& todo, int rank) {
    const Buffer sum = todo.add_scratch(1, rank);
    todo.copy(sendbuf(rank), at(sum, 0));
    todo.copy(at(sum, 0), recvbuf(0));
    todo.round().receive(at(sum, 0), 1 - rank).send(sendbuf(1 - rank), 1 - rank).combine(at(sum, 0), recvbuf(0));
  });
  EXPECT_EQ(error_of(Collective::reduce_scatter, early, {.commutative = true}), "");
  EXPECT_TRUE(says(error_of(Collective::reduce_scatter, early, {.commutative = true, .in_place = true}),
                   {"rank 0, round 1", "send block 1", "never written"}));
}

// Sub-collectives

SubCollective among(Collective collective, const RankSet& group, Blocks from, Blocks into) {
  return {collective, group, 0, 1, from, into};
}

TEST(Checker, CarriesOutSubCollectives) {
  const auto gathered = all_ranks(3, 3, [](Schedule& todo, int) {
    todo.round().join(among(Collective::allgather, RankSet::consecutive(0, 3), sendbuf(0), recvbuf(0, 3)));
  });
  EXPECT_EQ(error_of(Collective::allgather, gathered, {.uniform = true}), "");
  const auto reduced = all_ranks(4, 2, [](Schedule& todo, int rank) {
    const Buffer row = todo.add_scratch(2);
    todo.round().join(
        among(Collective::allreduce, RankSet::consecutive(rank / 2 * 2, 2), sendbuf(0, 2), at(row, 0, 2)));
    todo.round().join(among(Collective::allreduce, RankSet::every(2, rank % 2, 2), at(row, 0, 2), recvbuf(0, 2)));
  });
  EXPECT_EQ(error_of(Collective::allreduce, reduced, {}), "");
  const auto exchanged = all_ranks(3, 3, [](Schedule& todo, int) {
    todo.round().join(among(Collective::alltoall, RankSet::consecutive(0, 3), sendbuf(0, 3), recvbuf(0, 3)));
  });
  EXPECT_EQ(error_of(Collective::alltoall, exchanged, {.uniform = true}), "");
  const auto spread = all_ranks(4, 4, [](Schedule& todo, int rank) {
    const Buffer piece = todo.add_scratch(1);
    todo.round().join(
        {Collective::scatter, RankSet::consecutive(0, 4), 1, 1, rank == 1 ? sendbuf(0, 4) : nothing(), at(piece, 0)});
    todo.copy(at(piece, 0), recvbuf(0));
  });
  EXPECT_EQ(error_of(Collective::scatter, spread, {.uniform = true}, 1), "");
  const auto collected = all_ranks(4, 4, [](Schedule& todo, int rank) {
    todo.round().join(
        {Collective::gather, RankSet::consecutive(0, 4), 2, 1, sendbuf(0), rank == 2 ? recvbuf(0, 4) : nothing()});
  });
  EXPECT_EQ(error_of(Collective::gather, collected, {.uniform = true}, 2), "");
  const auto sent = all_ranks(3, 2, [](Schedule& todo, int) {
    todo.round().join({Collective::bcast, RankSet::consecutive(0, 3), 2, 1, nothing(), recvbuf(0, 2)});
  });
  EXPECT_EQ(error_of(Collective::bcast, sent, {}, 2), "");
  const auto summed = all_ranks(3, 2, [](Schedule& todo, int rank) {
    todo.round().join(
        {Collective::reduce, RankSet::consecutive(0, 3), 1, 1, sendbuf(0, 2), rank == 1 ? recvbuf(0, 2) : nothing()});
  });
  EXPECT_EQ(error_of(Collective::reduce, summed, {}, 1), "");
  const auto shared = all_ranks(3, 3, [](Schedule& todo, int) {
    todo.round().join(among(Collective::reduce_scatter_block, RankSet::consecutive(0, 3), sendbuf(0, 3), recvbuf(0)));
  });
  EXPECT_EQ(error_of(Collective::reduce_scatter_block, shared, {.uniform = true}), "");
}

TEST(Checker, FindsASubCollectiveThatAMemberNeverJoins) {
  const auto all = all_ranks(3, 3, [](Schedule& todo, int rank) {
    if (rank != 2)
      todo.round().join(among(Collective::allgather, RankSet::consecutive(0, 3), sendbuf(0), recvbuf(0, 3)));
  });
  EXPECT_TRUE(says(error_of(Collective::allgather, all, {.uniform = true}),
                   {"rank 0, round 0", "waits in allgather for rank 2, but rank 2 has finished"}));
}

TEST(Checker, FindsMembersThatComeToDifferentSubCollectives) {
  const auto all = all_ranks(2, 2, [](Schedule& todo, int rank) {
    const Collective mine = rank == 0 ? Collective::allgather : Collective::barrier;
    todo.round().join(among(mine, RankSet::consecutive(0, 2), sendbuf(0), recvbuf(0, 2)));
  });
  EXPECT_TRUE(says(error_of(Collective::allgather, all, {.uniform = true}),
                   {"rank 1, round 0", "barrier", "rank 0 is in allgather"}));
}

TEST(Checker, FindsARankInAGroupThatItIsNoMemberOf) {
  const auto all = all_ranks(4, 4, [](Schedule& todo, int rank) {
    todo.round().join(among(Collective::barrier, RankSet::every(2, rank == 3 ? 0 : rank % 2, 2), nothing(), nothing()));
  });
  EXPECT_TRUE(says(error_of(Collective::barrier, all, {}), {"rank 3, round 0", "no member"}));
}

TEST(Checker, FindsTwoGroupsThatWaitForEachOther) {
  const auto all = all_ranks(2, 2, [](Schedule& todo, int rank) {
    if (rank == 1) todo.round().receive(recvbuf(0), 0);
    todo.round().join(among(Collective::barrier, RankSet::consecutive(0, 2), nothing(), nothing()));
    if (rank == 0) todo.round().send(sendbuf(0), 1);
  });
  EXPECT_TRUE(says(error_of(Collective::allgather, all, {}), {"rank 0", "waits in barrier for rank 1", "deadlock"}));
}

TEST(Checker, CarriesOutSubCollectivesOfBlocksThatDifferInSizeWhereAllKnowThem) {
  const auto all = all_ranks(2, 2, [](Schedule& todo, int) {
    todo.round().join(among(Collective::allgather, RankSet::consecutive(0, 2), sendbuf(0), recvbuf(0, 2)));
  });
  EXPECT_EQ(error_of(Collective::allgatherv, all, {.uniform = false}), "");
  const auto to_root = all_ranks(2, 2, [](Schedule& todo, int rank) {
    todo.round().join(
        {Collective::gather, RankSet::consecutive(0, 2), 0, 1, sendbuf(0), rank == 0 ? recvbuf(0, 2) : nothing()});
  });
  EXPECT_TRUE(says(error_of(Collective::gatherv, to_root, {.uniform = false}), {"does not know how large"}));
}

TEST(Checker, FindsSubCollectivesWhoseMembersHaveBlocksOfOtherSizes) {
  const auto turned = all_ranks(2, 2, [](Schedule& todo, int) {
    const RankSet group = RankSet::of(std::vector{1, 0});
    todo.round().join(among(Collective::allgather, group, sendbuf(0), recvbuf(0, 2)));
  });
  EXPECT_TRUE(says(error_of(Collective::allgatherv, turned, {.uniform = false}), {"another size at its member"}));
  const auto exchanged = all_ranks(2, 2, [](Schedule& todo, int) {
    const Buffer two = todo.add_scratch(2);
    todo.copy(sendbuf(0), at(two, 0));
    todo.round().join(among(Collective::alltoall, RankSet::consecutive(0, 2), at(two, 0, 2), recvbuf(0, 2)));
  });
  EXPECT_NE(error_of(Collective::allgatherv, exchanged, {.uniform = false}), "");
}

TEST(Checker, CarriesOutSubCollectivesWhoseLastMemberHasFewerBlocks) {
  const RankSet leaders = RankSet::every(2, 0, 2);
  const auto gathered = all_ranks(3, 3, [&](Schedule& todo, int rank) {
    const Blocks row = rank == 0 ? recvbuf(0, 2) : sendbuf(0);
    const RankSet first_row = RankSet::consecutive(0, 2);
    if (rank < 2) todo.round().join({Collective::gather, first_row, 0, 1, sendbuf(0), rank == 0 ? row : nothing()});
    if (rank != 1)
      todo.round().join({Collective::gather, leaders, 0, 2, row, rank == 0 ? recvbuf(0, 3) : nothing(), 1});
  });
  EXPECT_EQ(error_of(Collective::gather, gathered, {.uniform = true}), "");
  // Rank 0 has two of three blocks, rank 1 one: they exchange 2 x 2, 2 x 1 and 1 x 1 blocks.
  const auto exchanged = [](int short_by) {
    return all_ranks(2, 2, [&](Schedule& todo, int rank) {
      const int mine = rank == 0 ? 2 : 1;
      const Buffer many = todo.add_scratch(3 * mine);
      for (int i = 0; i < 3 * mine; ++i) todo.copy(sendbuf(i / mine / 2), at(many, i));
      const Buffer arrived = todo.add_scratch(3 * mine);
      todo.round().join({Collective::alltoall, RankSet::consecutive(0, 2), 0, 2 * mine, at(many, 0, 3 * mine),
                         at(arrived, 0, 3 * mine), rank == 0 ? 2 : short_by});
      todo.copy(at(arrived, 0), recvbuf(0));
      todo.copy(at(arrived, 2 * mine), recvbuf(1));
    });
  };
  EXPECT_EQ(error_of(Collective::alltoall, exchanged(1), {.uniform = true}), "");
  EXPECT_NE(error_of(Collective::alltoall, exchanged(0), {.uniform = true}), "");
}

TEST(Checker, FindsMembersThatDisagreeOnTheLastOnesBlocks) {
  const auto gathered = [](int first, int last) {
    return all_ranks(2, 4, [=](Schedule& todo, int rank) {
      const int short_by = rank == 0 ? first : last;
      const Blocks all = at(todo.add_scratch(4), 0, 4 - short_by);
      const Blocks own = sendbuf(0, rank == 0 ? 2 : 2 - short_by);
      todo.round().join({Collective::allgather, RankSet::consecutive(0, 2), 0, 2, own, all, short_by});
    });
  };
  EXPECT_TRUE(says(error_of(Collective::allreduce, gathered(0, 1), {}), {"rank 1", "other shares"}));
  EXPECT_TRUE(says(error_of(Collective::allreduce, gathered(2, 2), {}), {"rank 0", "takes 2 of 2 blocks"}));
}

TEST(Checker, KnowsMpisInPlaceCasesOfARoot) {
  const RankSet pair = RankSet::consecutive(0, 2);
  const auto gathered = all_ranks(2, 2, [&](Schedule& todo, int rank) {
    if (rank == 0) todo.copy(sendbuf(0), recvbuf(0));
    todo.round().join(
        {Collective::gather, pair, 0, 1, rank == 0 ? recvbuf(0) : sendbuf(0), rank == 0 ? recvbuf(0, 2) : nothing()});
  });
  EXPECT_EQ(error_of(Collective::gather, gathered, {.uniform = true}), "");
  const auto scattered = all_ranks(2, 2, [&](Schedule& todo, int rank) {
    const Blocks own = rank == 0 ? sendbuf(0) : recvbuf(0);
    todo.round().join({Collective::scatter, pair, 0, 1, rank == 0 ? sendbuf(0, 2) : nothing(), own});
    if (rank == 0) todo.copy(own, recvbuf(0));
  });
  EXPECT_EQ(error_of(Collective::scatter, scattered, {.uniform = true}), "");
  const auto reduced = all_ranks(2, 1, [&](Schedule& todo, int rank) {
    if (rank == 0) todo.copy(sendbuf(0), recvbuf(0));
    todo.round().join(
        {Collective::reduce, pair, 0, 1, rank == 0 ? recvbuf(0) : sendbuf(0), rank == 0 ? recvbuf(0) : nothing()});
  });
  EXPECT_EQ(error_of(Collective::reduce, reduced, {.blocks = 1}), "");
  const auto misplaced = all_ranks(2, 2, [&](Schedule& todo, int rank) {
    if (rank == 0) todo.copy(sendbuf(0), recvbuf(1));
    todo.round().join(
        {Collective::gather, pair, 0, 1, rank == 0 ? recvbuf(1) : sendbuf(0), rank == 0 ? recvbuf(0, 2) : nothing()});
  });
  EXPECT_TRUE(says(error_of(Collective::gather, misplaced, {.uniform = true}), {"rank 0", "overlap"}));
}

TEST(Checker, FindsSubCollectivesThatDoNotFitTheirBuffers) {
  const auto small = all_ranks(2, 2, [](Schedule& todo, int) {
    todo.round().join(among(Collective::allgather, RankSet::consecutive(0, 2), sendbuf(0), recvbuf(0)));
  });
  EXPECT_TRUE(says(error_of(Collective::allgather, small, {.uniform = true}),
                   {"rank 0, round 0", "allgather into recv block 0", "should be 2"}));
  const auto overlapping = all_ranks(2, 2, [](Schedule& todo, int rank) {
    todo.copy(sendbuf(0), recvbuf(1 - rank));
    todo.round().join(among(Collective::allgather, RankSet::consecutive(0, 2), recvbuf(1 - rank), recvbuf(0, 2)));
  });
  EXPECT_TRUE(says(error_of(Collective::allgather, overlapping, {.uniform = true}), {"rank 0, round 1", "overlap"}));
}

TEST(Checker, FindsAGroupWithARankThatThereIsNot) {
  const auto all = all_ranks(2, 2, [](Schedule& todo, int) {
    todo.round().join(among(Collective::barrier, RankSet::consecutive(0, 3), nothing(), nothing()));
  });
  EXPECT_TRUE(says(error_of(Collective::barrier, all, {}), {"rank 0, round 0", "a rank that does not exist"}));
}

// Collectives without a result to compare

TEST(Checker, FindsABarrierThatARankLeavesTooEarly) {
  const auto half = all_ranks(
      4, 4, [](Schedule& todo, int rank) { todo.round().receive(nothing(), rank ^ 1).send(nothing(), rank ^ 1); });
  EXPECT_TRUE(says(error_of(Collective::barrier, half, {}), {"rank 0 leaves the barrier without word from rank 2"}));
  const auto whole = all_ranks(4, 4, [](Schedule& todo, int rank) {
    for (const int distance : {1, 2}) todo.round().receive(nothing(), rank ^ distance).send(nothing(), rank ^ distance);
  });
  EXPECT_EQ(error_of(Collective::barrier, whole, {}), "");
}

TEST(Checker, DoesNotForwardASignalWithinTheSameRound) {
  const auto all = all_ranks(3, 3, [](Schedule& todo, int rank) {
    todo.round().receive(nothing(), (rank + 2) % 3).send(nothing(), (rank + 1) % 3);
  });
  EXPECT_TRUE(says(error_of(Collective::barrier, all, {}), {"rank 0 leaves the barrier without word from rank 1"}));
}

TEST(Checker, LeavesTheReceiveBufferOfTheFirstRankOfAnExscanAsItIs) {
  const auto all = all_ranks(2, 1, [](Schedule& todo, int rank) {
    if (rank == 0) todo.round().send(sendbuf(0), 1);
    if (rank == 1) todo.round().receive(recvbuf(0), 0);
  });
  for (const bool in_place : {false, true}) EXPECT_EQ(error_of(Collective::exscan, all, {.in_place = in_place}), "");
  const auto copied = all_ranks(2, 1, [](Schedule& todo, int rank) {
    if (rank == 0) todo.copy(sendbuf(0), recvbuf(0));
    if (rank == 0) todo.round().send(sendbuf(0), 1);
    if (rank == 1) todo.round().receive(recvbuf(0), 0);
  });
  const auto received = all_ranks(
      2, 1, [](Schedule& todo, int rank) { todo.round().receive(recvbuf(0), 1 - rank).send(sendbuf(0), 1 - rank); });
  for (const auto& wrong : {copied, received})
    for (const bool in_place : {false, true})
      EXPECT_TRUE(says(error_of(Collective::exscan, wrong, {.in_place = in_place}),
                       {"rank 0, round 0", "recv block 0, but recv has no blocks on this rank"}));
}

TEST(Checker, TellsBlocksOfAlltoallvApartByTheirPairOfRanks) {
  const auto through_scratch = all_ranks(2, 2, [](Schedule& todo, int rank) {
    const Buffer scratch = todo.add_scratch(2);
    todo.copy(sendbuf(rank), recvbuf(rank));
    todo.copy(sendbuf(1 - rank), at(scratch, 0));
    todo.round().receive(recvbuf(1 - rank), 1 - rank).send(at(scratch, 0), 1 - rank);
  });
  EXPECT_TRUE(says(error_of(Collective::alltoallv, through_scratch, {}), {"differ in size"}));
  const auto direct = all_ranks(2, 2, [](Schedule& todo, int rank) {
    todo.copy(sendbuf(rank), recvbuf(rank));
    todo.round().receive(recvbuf(1 - rank), 1 - rank).send(sendbuf(1 - rank), 1 - rank);
  });
  EXPECT_EQ(error_of(Collective::alltoallv, direct, {}), "");
  EXPECT_EQ(error_of(Collective::alltoallv, through_scratch, {.learns_sizes = true}), "");
}

TEST(Checker, LetsScratchOfLearnedSizeHoldOneBlockOnly) {
  // What rank 2 has for rank 0 goes by way of rank 1.
  const auto passed_on = [](bool in_one_place) {
    return all_ranks(3, 3, [in_one_place](Schedule& todo, int rank) {
      todo.copy(sendbuf(rank), recvbuf(rank));
      if (rank == 0) {
        todo.round().receive(recvbuf(1, 2), 1).send(sendbuf(1), 1).send(sendbuf(2), 2);
      } else if (rank == 1) {
        const Buffer both = todo.add_scratch(2);
        todo.copy(sendbuf(0), at(both, 0));
        if (in_one_place) todo.copy(at(both, 0), at(both, 1));
        Round& round = todo.round();
        round.receive(at(both, 1), 2).receive(recvbuf(2), 2).receive(recvbuf(0), 0).send(sendbuf(2), 2);
        todo.round().send(at(both, 0, 2), 0);
      } else {
        Round& round = todo.round();
        round.send(sendbuf(0), 1).send(sendbuf(1), 1).receive(recvbuf(0), 0).receive(recvbuf(1), 1);
      }
    });
  };
  EXPECT_EQ(error_of(Collective::alltoallv, passed_on(false), {.learns_sizes = true}), "");
  EXPECT_TRUE(says(error_of(Collective::alltoallv, passed_on(true), {.learns_sizes = true}),
                   {"rank 1, round 1", "from rank 2", "differ in size"}));
}

TEST(Checker, LetsTheLibraryGatherBlocksOfSizesThatAllLearnFromTheRoot) {
  const auto to_root = all_ranks(3, 3, [](Schedule& todo, int rank) {
    const Blocks all = rank == 1 ? recvbuf(0, 3) : nothing();
    todo.round().join({Collective::gather, RankSet::consecutive(0, 3), 1, 1, sendbuf(0), all});
  });
  EXPECT_EQ(check(Collective::gatherv, to_root, 1, {.blocks = 3, .learns_sizes = true}).error, "");
  EXPECT_TRUE(says(check(Collective::gatherv, to_root, 1, {.blocks = 3}).error, {"does not know how large"}));
}

TEST(Checker, GivesEqualFingerprintsToEqualExpressionsOnly) {
  const auto sum = [](bool from_left) {
    return all_ranks(3, 1, [from_left](Schedule& todo, int rank) {
      if (rank > 0) {
        todo.round().send(sendbuf(0), 0);
        return;
      }
      const Buffer two = todo.add_scratch(1);
      todo.copy(sendbuf(0), recvbuf(0));
      todo.round().receive(at(two, 0), from_left ? 1 : 2);
      const Buffer other = todo.add_scratch(1);
      todo.round().receive(at(other, 0), from_left ? 2 : 1);
      if (from_left) {  // (0 + 1) + 2
        todo.combine(recvbuf(0), at(two, 0));
        todo.combine(at(two, 0), at(other, 0));
        todo.copy(at(other, 0), recvbuf(0));
      } else {  // 0 + (1 + 2)
        todo.combine(at(other, 0), at(two, 0));
        todo.combine(recvbuf(0), at(two, 0));
        todo.copy(at(two, 0), recvbuf(0));
      }
    });
  };
  const auto order_of = [](const std::vector<Schedule>& all) {
    const CheckResult result = check(Collective::reduce, all, 0, {.blocks = 1});
    EXPECT_EQ(result.error, "");
    return result.order;
  };
  EXPECT_EQ(order_of(sum(true)), order_of(sum(true)));
  EXPECT_NE(order_of(sum(true)), order_of(sum(false)));
}

TEST(CheckerOrder, IsTheSameIntoHoweverManyBlocksTheVectorIsDivided) {
  const auto order_of = [](int blocks) {
    const auto all = all_ranks(2, blocks, [&](Schedule& todo, int rank) {
      if (rank == 1) {
        todo.round().send(sendbuf(0, blocks), 0);
        return;
      }
      todo.round().receive(recvbuf(0, blocks), 1).combine(sendbuf(0, blocks), recvbuf(0, blocks));
    });
    const CheckResult result = check(Collective::reduce, all, 0, {.blocks = blocks});
    EXPECT_EQ(result.error, "");
    return result.order;
  };
  EXPECT_EQ(order_of(1), order_of(3));
}

TEST(CheckerInPlace, FindsAnAlltoallThatOverwritesABlockBeforeItIsSent) {
  const auto all = all_ranks(2, 2, [](Schedule& todo, int rank) {
    const int other = 1 - rank;
    todo.copy(sendbuf(rank), recvbuf(rank));
    todo.round().receive(recvbuf(other), other).send(sendbuf(other), other);
  });
  EXPECT_EQ(error_of(Collective::alltoall, all, {.uniform = true}), "");
  EXPECT_TRUE(says(error_of(Collective::alltoall, all, {.uniform = true, .in_place = true}),
                   {"rank 0", "send block 1", "while it receives into it"}));
}

}  // namespace
}  // namespace starling
