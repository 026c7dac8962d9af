#include "schedule/schedule.hpp"

#include <gtest/gtest.h>

#include <stdexcept>
#include <vector>

#include "schedule/checker.hpp"

namespace starling {
namespace {

const RankSet everyone = RankSet::consecutive(0, 4);

TEST(Schedule, MakesScratchAsLargeAsTheBlocksFromAnyFirstOne) {
  Schedule schedule(4);
  EXPECT_EQ(schedule.add_scratch(3, 2), Buffer::scratch);
  EXPECT_EQ(scratch_index(schedule.add_scratch(1, -1)), 1U);
  EXPECT_EQ(scratch_index(schedule.add_scratch_like(2, 1)), 2U);
  EXPECT_EQ(schedule.scratch()[2].like, (std::vector<int>{1, 1}));
  EXPECT_EQ(schedule.scratch()[0].like, (std::vector<int>{2, 3, 0}));
  EXPECT_EQ(schedule.scratch()[1].like, (std::vector<int>{3}));
}

TEST(Schedule, PutsLocalWorkBehindTheMessagesOfTheRoundBefore) {
  Schedule schedule(2);
  schedule.copy(sendbuf(0), recvbuf(0));
  schedule.round().receive(recvbuf(1), 1);
  schedule.combine(recvbuf(0), recvbuf(1));
  ASSERT_EQ(schedule.rounds().size(), 2U);
  EXPECT_EQ(schedule.rounds()[0].locals().size(), 1U);
  ASSERT_EQ(schedule.rounds()[1].locals().size(), 1U);
  EXPECT_EQ(schedule.rounds()[1].locals()[0].kind, Local::Kind::combine);
}

TEST(Append, MovesBuffersAndRanksToTheirPlaces) {
  Schedule part(2);
  part.round().receive(recvbuf(1), 1).send(sendbuf(0), 0);
  Schedule whole(8);
  whole.append(part, {.send = {Buffer::recv, 6}, .recv = {Buffer::recv, 4}, .ranks = RankSet::every(2, 1, 2)});
  ASSERT_EQ(whole.rounds().size(), 1U);
  EXPECT_EQ(whole.rounds()[0].receives()[0].blocks, recvbuf(5));
  EXPECT_EQ(whole.rounds()[0].receives()[0].peer, 3);
  EXPECT_EQ(whole.rounds()[0].sends()[0].blocks, recvbuf(6));
  EXPECT_EQ(whole.rounds()[0].sends()[0].peer, 1);
}

TEST(Append, MakesEveryBlockOfThePartSeveralOfTheWhole) {
  Schedule part(2);
  part.round().receive(recvbuf(1), 1);
  Schedule whole(6);
  whole.append(part, {.send = {Buffer::send}, .recv = {Buffer::recv, 0, 3}, .ranks = RankSet::consecutive(0, 2)});
  EXPECT_EQ(whole.rounds()[0].receives()[0].blocks, recvbuf(3, 3));
}

TEST(Append, TakesOverScratchBehindItsOwnAndWithTheSizesOfTheWhole) {
  Schedule part(2);
  const Buffer partly = part.add_scratch(2, 1);
  part.round().receive(at(partly, 1), 1);
  Schedule whole(8);
  whole.add_scratch(1);
  whole.append(part, {.send = {Buffer::send}, .recv = {Buffer::recv, 4, 2}, .ranks = RankSet::consecutive(0, 2)});
  ASSERT_EQ(whole.scratch().size(), 2U);
  EXPECT_EQ(whole.scratch()[1].like, (std::vector<int>{6, 7, 4, 5}));
  EXPECT_EQ(scratch_index(whole.rounds()[0].receives()[0].blocks.buffer), 1U);
  EXPECT_EQ(whole.rounds()[0].receives()[0].blocks.first, 2);
  EXPECT_EQ(whole.rounds()[0].receives()[0].blocks.count, 2);
}

TEST(Append, TakesSizesFromWhereItIsToldWhenThePartEndsWithOneBlock) {
  Schedule part(4);
  part.add_scratch(2, 1);
  Schedule whole(4);
  whole.append(part,
               {.send = {Buffer::send}, .recv = {Buffer::recv, 3}, .ranks = everyone, .sizes = Origin{Buffer::recv}});
  EXPECT_EQ(whole.scratch()[0].like, (std::vector<int>{1, 2}));
}

TEST(Append, TakesSizesFromScratchThatThePartWorksIn) {
  Schedule part(2);
  part.add_scratch(1, 1);
  Schedule whole(4);
  const Buffer rotated = whole.add_scratch(4, 3);
  whole.append(part, {.send = {Buffer::send}, .recv = {rotated, 1}, .ranks = RankSet::consecutive(0, 2)});
  EXPECT_EQ(whole.scratch()[1].like, (std::vector<int>{1}));
}

TEST(Append, LeavesOutCopiesOfDataThatLiesInPlace) {
  Schedule part(4);
  part.copy(sendbuf(0), recvbuf(2));
  Schedule whole(4);
  whole.append(part, {.send = {Buffer::recv, 2}, .recv = {Buffer::recv}, .ranks = everyone});
  EXPECT_TRUE(whole.rounds()[0].locals().empty());
  whole.append(part, {.send = {Buffer::send}, .recv = {Buffer::recv}, .ranks = everyone});
  EXPECT_EQ(whole.rounds()[1].locals().size(), 1U);
}

TEST(Append, PlacesTheGroupsOfSubCollectivesWithinTheGroupOfThePart) {
  Schedule part(4);
  part.round().join({Collective::allgather, RankSet::every(2, 1, 2), 1, 2, sendbuf(0, 2), recvbuf(0, 4)});
  Schedule whole(12);
  whole.append(part, {.send = {Buffer::send, 0, 3}, .recv = {Buffer::recv, 0, 3}, .ranks = RankSet::every(3, 2, 4)});
  const SubCollective& sub = *whole.rounds()[0].sub();
  EXPECT_EQ(sub.group, RankSet::every(6, 5, 2));
  EXPECT_EQ(sub.root, 1);
  EXPECT_EQ(sub.scale, 6);
  EXPECT_EQ(sub.into, recvbuf(0, 12));
}

TEST(Append, ThrowsWhereThePartTalksToARankThatItIsNotGiven) {
  Schedule part(4);
  part.round().send(sendbuf(0), 3);
  Schedule whole(4);
  EXPECT_THROW(
      whole.append(part, {.send = {Buffer::send}, .recv = {Buffer::recv}, .ranks = RankSet::consecutive(0, 3)}),
      std::out_of_range);
  Schedule grouped(4);
  grouped.round().join({Collective::barrier, RankSet::every(2, 1, 2), 0, 1, nothing(), nothing()});
  EXPECT_THROW(
      whole.append(grouped, {.send = {Buffer::send}, .recv = {Buffer::recv}, .ranks = RankSet::consecutive(0, 3)}),
      std::out_of_range);
}

TEST(Append, LeavesRanksAsTheyAreUnlessToldOtherwise) {
  Schedule part(4);
  part.round().send(sendbuf(0), 3);
  Schedule whole(4);
  whole.append(part, {.send = {Buffer::send}, .recv = {Buffer::recv}});
  EXPECT_EQ(whole.rounds()[0].sends()[0].peer, 3);
}

/// Four ranks, each sending to the rank `step` to its right in each of `steps` steps.
Schedule shifting(int rank, int steps) {
  Schedule todo(4);
  todo.copy(sendbuf(rank), recvbuf(rank));
  for (int step = 1; step <= steps; ++step) {
    const int right = (rank + step) % 4;
    const int left = (rank + 4 - step) % 4;
    todo.round().receive(recvbuf(left), left).send(sendbuf(right), right);
  }
  return todo;
}

TEST(Synchronised, WithNoneIsTheSameSchedule) {
  const Schedule plain = shifting(0, 3);
  const Schedule same = plain.synchronised(Synchronisation::none, 4);
  EXPECT_EQ(same.rounds().size(), plain.rounds().size());
}

TEST(Synchronised, WithALightBarrierAsksThePartnersOfTheNextRound) {
  const Schedule kept_apart = shifting(0, 3).synchronised(Synchronisation::light_barrier, 4);
  ASSERT_EQ(kept_apart.rounds().size(), 1U + 3U + 2U);
  const Round& before_second = kept_apart.rounds()[2];
  ASSERT_EQ(before_second.receives().size(), 1U);
  EXPECT_EQ(before_second.receives()[0].peer, 2);
  EXPECT_EQ(before_second.receives()[0].blocks.count, 0);
  EXPECT_EQ(before_second.sends()[0].peer, 2);
  const Round& before_third = kept_apart.rounds()[4];
  EXPECT_EQ(before_third.receives()[0].peer, 3) << "the rank that I shall send to must be ready";
  EXPECT_EQ(before_third.sends()[0].peer, 1) << "the rank that will send to me may go on";
}

TEST(Synchronised, WithAnMpiBarrierMeetsAllRanksBetweenRoundsThatCommunicate) {
  const Schedule kept_apart = shifting(1, 3).synchronised(Synchronisation::mpi_barrier, 4);
  int barriers = 0;
  for (const Round& round : kept_apart.rounds()) {
    if (round.sub() == nullptr) continue;
    ++barriers;
    EXPECT_EQ(round.sub()->collective, Collective::barrier);
    EXPECT_EQ(round.sub()->group, everyone);
  }
  EXPECT_EQ(barriers, 2);
}

TEST(Synchronised, WithAnMpiBarrierIsWrongWhereRanksHaveDifferentNumbersOfRounds) {
  std::vector<Schedule> all;
  for (int rank = 0; rank < 2; ++rank) {
    Schedule todo(2);
    if (rank == 0) todo.round().send(recvbuf(0), 1).send(recvbuf(1), 1);
    if (rank == 1) todo.round().receive(recvbuf(0), 0);
    if (rank == 1) todo.round().receive(recvbuf(1), 0);
    all.push_back(todo.synchronised(Synchronisation::mpi_barrier, 2));
  }
  EXPECT_NE(check(Collective::bcast, all, 0, {.blocks = 2}).error, "");
}

TEST(Round, MeetsOtherRanksInOneWay) {
  const SubCollective barrier{Collective::barrier, everyone, 0, 1, nothing(), nothing()};
  Round joined;
  joined.join(barrier);
  EXPECT_THROW(joined.send(sendbuf(0), 1), std::logic_error);
  EXPECT_THROW(joined.join(barrier), std::logic_error);
  Round sent;
  sent.send(sendbuf(0), 1);
  EXPECT_THROW(sent.join(barrier), std::logic_error);
}

}  // namespace
}  // namespace starling
