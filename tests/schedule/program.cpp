#include "schedule/program.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

namespace starling {
namespace {

TEST(Layout, DividesUnevenlyIntoBlocksThatDifferByOneUnitAtMost) {
  const Layout layout(4, 10);
  EXPECT_EQ(layout.size(0), 3);
  EXPECT_EQ(layout.size(1), 3);
  EXPECT_EQ(layout.size(2), 2);
  EXPECT_EQ(layout.size(3), 2);
  EXPECT_EQ(layout.start(3), 8);
}

TEST(Layout, HasEmptyBlocksWhereThereAreFewerUnitsThanBlocks) {
  const Layout layout(5, 2);
  EXPECT_EQ(layout.size(1), 1);
  EXPECT_EQ(layout.size(2), 0);
  EXPECT_EQ(layout.start(4), 2);
}

TEST(Layout, DividesTheBlocksOfRanksInPartsThatStayWithinThem) {
  const Layout layout(6, 14, 3);
  EXPECT_EQ(layout.parts(), 3);
  for (const int rank : {0, 1}) {
    EXPECT_EQ(layout.start(3 * rank), 7 * rank);
    EXPECT_EQ(layout.size_of_rank(rank), 7);
    EXPECT_EQ(layout.size(3 * rank), 3);
    EXPECT_EQ(layout.start((3 * rank) + 1), (7 * rank) + 3);
    EXPECT_EQ(layout.size((3 * rank) + 2), 2);
  }
}

TEST(Layout, KeepsGivenBlocks) {
  Layout layout(1, 5);
  layout.clear();
  for (const std::int64_t size : {7, 0, 2}) layout.add(size);
  EXPECT_EQ(layout.blocks(), 3);
  EXPECT_EQ(layout.size(1), 0);
  EXPECT_EQ(layout.total(), 9);
}

Messages::Form form_of(const Step& step) {
  EXPECT_TRUE(step.is<Messages>());
  return step.form_of<Messages>();
}

TEST(Program, ResolvesBlocksOfEveryBufferToUnits) {
  Schedule schedule(4);
  const Buffer rotated = schedule.add_scratch(4, 3);
  schedule.round().receive(recvbuf(2, 2), 1).send(sendbuf(0), 3).copy(at(rotated, 1), recvbuf(0));
  const Program program = bind(schedule, Layout(4, 10), Layout(4, 10), Collective::allgatherv, 2);

  ASSERT_EQ(program.steps.size(), 2U);
  EXPECT_EQ(form_of(program.steps[0]), Messages::Form::exchange);
  EXPECT_EQ(program.steps[1].form_of<LocalWork>(), Local::Kind::copy);
  ASSERT_EQ(program.messages.size(), 2U);
  EXPECT_EQ(program.messages[0].data.first, 6);
  EXPECT_EQ(program.messages[0].data.count, 4);
  EXPECT_EQ(program.messages[1].data.first, 0);
  EXPECT_EQ(program.messages[1].data.count, 2) << "an allgather's send buffer is as large as the block of its rank";
  ASSERT_EQ(program.works.size(), 1U);
  EXPECT_EQ(program.works[0].from.first, 2) << "slot 0 of the rotated copy is as large as block 3";
  EXPECT_EQ(program.works[0].from.count, 3);
  EXPECT_EQ(program.scratch, (std::vector<std::int64_t>{10}));
}

TEST(Program, BeginsARanksOwnBlockWithItsFirstPart) {
  Schedule schedule(6);
  schedule.round().send(sendbuf(1), 0);
  const Layout layout(6, 14, 3);
  const Program program = bind(schedule, layout, layout, Collective::gather, 1);
  ASSERT_EQ(program.messages.size(), 1U);
  EXPECT_EQ(program.messages[0].data.first, 3);
  EXPECT_EQ(program.messages[0].data.count, 2);
}

TEST(Program, TakesBlocksFromWhereTheyLie) {
  Layout send(0, 0);
  Layout recv(0, 0);
  send.add_at(40, 3);
  send.add_at(8, 2);
  recv.add_at(0, 1);
  recv.add_at(100, 2);
  Schedule schedule(2);
  schedule.round().send(sendbuf(1), 1).receive(recvbuf(1), 1).copy(sendbuf(0), recvbuf(0));
  const Program program = bind(schedule, send, recv, Collective::alltoallv, 0);
  ASSERT_EQ(program.messages.size(), 2U);
  EXPECT_EQ(program.messages[0].data.first, 100);
  EXPECT_EQ(program.messages[1].data.first, 8);
  EXPECT_EQ(program.messages[1].data.count, 2);
  EXPECT_EQ(program.works[0].from.first, 40);
}

TEST(Program, MakesScratchAsLargeAsWhatLiesThereIsSaidToBe) {
  Layout own(0, 0);
  own.add(0);
  own.add(3);
  own.add(0);
  Schedule schedule(3);
  const Buffer first = schedule.add_scratch(2);
  const Buffer second = schedule.add_scratch(1);
  schedule.copy(sendbuf(0), at(first, 0));
  schedule.round().receive(at(first, 1), 2).copy(at(first, 1), at(second, 0));
  schedule.round().send(at(first, 0, 2), 0);
  Program program;
  starling::bind(FlatSchedule(schedule), own, own, Collective::gatherv, 1, program, std::vector<std::int64_t>{3, 5, 7});
  EXPECT_EQ(program.scratch, (std::vector<std::int64_t>{8, 7}));
  ASSERT_EQ(program.messages.size(), 2U);
  EXPECT_EQ(program.messages[0].data, (Units{3, 5}));
  EXPECT_EQ(program.messages[1].data, (Units{0, 8}));
}

TEST(Program, CopiesNoMoreThanThereIsRoomFor) {
  Layout own(0, 0);
  own.add(0);
  own.add(3);
  Schedule schedule(2);
  const Buffer passing = schedule.add_scratch(1);
  schedule.round().receive(at(passing, 0), 0).copy(at(passing, 0), recvbuf(0));
  Program program;
  starling::bind(FlatSchedule(schedule), own, own, Collective::scatterv, 1, program, std::vector<std::int64_t>{5});
  ASSERT_EQ(program.works.size(), 1U);
  EXPECT_EQ(program.works[0].from.count, 3) << "the root sends 5 units where this rank expects 3";
}

TEST(Program, BeginsABufferOfOneBlockThereWhereverTheRootHasThatBlock) {
  Layout all(0, 0);
  all.add_at(40, 3);
  all.add_at(8, 2);
  for (const int root : {0, 1}) {
    Schedule schedule(2);
    schedule.copy(sendbuf(root), recvbuf(0));
    const Program program = bind(schedule, all, all, Collective::scatterv, root);
    ASSERT_EQ(program.works.size(), 1U);
    EXPECT_EQ(program.works[0].from.first, all.start(root));
    EXPECT_EQ(program.works[0].into.first, 0);
    EXPECT_EQ(program.works[0].into.count, all.size(root));
  }
}

TEST(Program, LeavesOutMessagesOfEmptyBlocksAndKeepsSignals) {
  Schedule schedule(4);
  schedule.round().receive(recvbuf(3), 1).send(recvbuf(0), 1);
  schedule.round().receive(nothing(), 2).send(nothing(), 2);
  schedule.round().copy(sendbuf(3), recvbuf(3));
  const Program program = bind(schedule, Layout(4, 2), Layout(4, 2), Collective::allreduce, 0);

  ASSERT_EQ(program.steps.size(), 2U) << "the last round has nothing to do";
  EXPECT_EQ(form_of(program.steps[0]), Messages::Form::send);
  EXPECT_EQ(form_of(program.steps[1]), Messages::Form::exchange);
}

std::vector<Messages::Form> forms_of(const Schedule& schedule, std::int64_t units) {
  std::vector<Messages::Form> forms;
  for (const Step& step : bind(schedule, Layout(4, units), Layout(4, units), Collective::allreduce, 0).steps)
    forms.push_back(form_of(step));
  return forms;
}

TEST(Program, TakesTheQuickestFormForMessages) {
  Schedule schedule(4);
  schedule.round().send(recvbuf(0), 1);
  schedule.round().receive(recvbuf(0), 1);
  schedule.round().receive(recvbuf(0), 1).send(recvbuf(1), 2);
  schedule.round().receive(recvbuf(0), 1).receive(recvbuf(1), 2);
  using Form = Messages::Form;
  EXPECT_EQ(forms_of(schedule, 8), (std::vector{Form::send, Form::receive, Form::exchange, Form::any}));
}

TEST(Program, LeavesMessagesThatAnIntCannotCountToTheGeneralForm) {
  Schedule schedule(4);
  schedule.round().send(recvbuf(0), 1);
  constexpr std::int64_t most = std::numeric_limits<std::int32_t>::max();
  EXPECT_EQ(forms_of(schedule, 4 * most), std::vector{Messages::Form::send});
  EXPECT_EQ(forms_of(schedule, 4 * most + 1), std::vector{Messages::Form::any});
}

TEST(Program, HasAStepForEachOfManyExchangesOfBlocksWhateverTheirSizes) {
  // The rounds of an alltoallv by pairs, of which a flat schedule has one step.
  constexpr int ranks = 6;
  Schedule schedule(ranks);
  for (int peer = 1; peer < ranks; ++peer) schedule.round().receive(recvbuf(peer), peer).send(sendbuf(peer), peer);
  schedule.round().receive(recvbuf(1), 1).send(recvbuf(2), 2);  // from another buffer
  const FlatSchedule flat(schedule);
  EXPECT_EQ(flat.steps.size(), 2U);

  constexpr std::int64_t most = std::numeric_limits<std::int32_t>::max();
  Layout send(1, 1);
  Layout recv(1, 1);
  send.clear();
  recv.clear();
  for (const std::int64_t size : {1L, 5L, 0L, 0L, most, most + 1}) send.add(size);
  for (const std::int64_t size : {1L, 7L, 3L, 0L, most, 2L}) recv.add(size);
  Program program;
  bind(flat, send, recv, Collective::alltoallv, 0, program);
  using Form = Messages::Form;
  std::vector<Form> forms;
  std::vector<std::int32_t> peers;
  std::vector<std::int64_t> sizes;
  for (const Step& step : program.steps) {
    forms.push_back(form_of(step));
    for (const Message& one : step.of(program.messages)) {
      peers.push_back(one.peer);
      sizes.push_back(one.data.count);
      const Layout& its = one.buffer == Buffer::recv ? recv : send;
      EXPECT_EQ(one.data.first, its.start(one.peer));
    }
  }
  EXPECT_EQ(forms, (std::vector{Form::exchange, Form::receive, Form::exchange, Form::any, Form::exchange}))
      << "with rank 3 there is nothing to exchange";
  EXPECT_EQ(peers, (std::vector{1, 1, 2, 4, 4, 5, 5, 1, 2}));
  EXPECT_EQ(sizes, (std::vector{7L, 5L, 3L, most, most, 2L, most + 1, 7L, 3L}));
}

TEST(Program, MakesOneStepOfEachRunOfCopiesAndOfCombines) {
  Schedule schedule(4);
  schedule.copy(sendbuf(0), recvbuf(0));
  schedule.copy(sendbuf(1), recvbuf(1));
  schedule.combine(sendbuf(2), recvbuf(0));
  schedule.copy(sendbuf(3), recvbuf(3));
  const Program program = bind(schedule, Layout(4, 8), Layout(4, 8), Collective::allreduce, 0);
  ASSERT_EQ(program.steps.size(), 3U);
  EXPECT_EQ(program.steps[0].count, 2);
  EXPECT_EQ(program.steps[1].form_of<LocalWork>(), Local::Kind::combine);
  EXPECT_EQ(program.steps[2].first, 3);
}

TEST(Program, KeepsNativePartsInTheirPlace) {
  Schedule schedule(2);
  schedule.round().send(recvbuf(0), 1);
  schedule.round().join({Collective::barrier, RankSet::consecutive(0, 2), 0, 1, nothing(), nothing()});
  const Program program = bind(schedule, Layout(2, 2), Layout(2, 2), Collective::bcast, 0);
  ASSERT_EQ(program.steps.size(), 2U);
  EXPECT_EQ(form_of(program.steps[0]), Messages::Form::send);
  EXPECT_TRUE(program.steps[1].is<SubCollective>());
  EXPECT_EQ(program.natives[0].collective, Collective::barrier);
}

TEST(Program, TellsEveryMemberThatTheLastOneHasFewerBlocks) {
  const auto gather = [](int rank) {
    Schedule schedule(5);
    const Blocks row = sendbuf(2 * rank, rank == 2 ? 1 : 2);
    schedule.round().join(
        {Collective::gather, RankSet::consecutive(0, 3), 1, 2, row, rank == 1 ? recvbuf(0, 5) : nothing(), 1});
    return bind(schedule, Layout(5, 20), Layout(5, 20), Collective::allreduce, rank);
  };
  for (const int rank : {0, 1, 2}) EXPECT_TRUE(gather(rank).natives[0].uneven) << "rank " << rank;
  EXPECT_EQ(gather(1).shares, (std::vector<int>{8, 8, 4, 0, 8, 16}));
  EXPECT_EQ(gather(2).natives[0].from.count, 4);
}

TEST(Program, TakesStepsOfOthersUnderOtherRanks) {
  Schedule schedule(3);
  schedule.round().receive(recvbuf(0), 1).send(recvbuf(1), 2).copy(recvbuf(0), recvbuf(2));
  schedule.round().publish(recvbuf(0), {1, 2}).take(recvbuf(1), 2);
  schedule.round().join({Collective::gather, RankSet::consecutive(0, 2), 0, 1, recvbuf(0), recvbuf(0, 2)});
  const Layout layout(3, 10);  // uneven: the gather has the members' counts
  const Program part = bind(schedule, layout, layout, Collective::allreduce, 0);
  Program whole;
  for (int twice = 0; twice < 2; ++twice)
    for (const Step& step : part.steps) whole.append(part, step, RankSet::every(10, 100, 3));

  ASSERT_EQ(whole.steps.size(), 8U);
  EXPECT_EQ(whole.messages[2].peer, 110);
  EXPECT_EQ(whole.messages[3].peer, 120);
  EXPECT_EQ(whole.steps[5].of(whole.works).front().into.first, part.works.front().into.first);
  const BoundSharing& sharing = whole.sharing_of(whole.steps[6]);
  EXPECT_EQ(whole.readers_of(whole.publications_of(sharing).front())[1], 120);
  EXPECT_EQ(whole.takes_of(sharing).front().peer, 120);
  const NativePart& gather = whole.natives[1];
  EXPECT_EQ(gather.group, RankSet::every(10, 100, 2));
  EXPECT_EQ(whole.shares[static_cast<std::size_t>(gather.shares)], 4);
}

TEST(Program, TakesMemoryForItsWorkAndNoMore) {
  constexpr int blocks = 5000;
  Schedule schedule(blocks);
  Round& round = schedule.round();
  for (int block = 1; block < blocks; ++block) round.copy(recvbuf(block), recvbuf(block - 1));
  const Layout layout(blocks, blocks);
  const Program program = bind(schedule, layout, layout, Collective::allreduce, 0);
  EXPECT_EQ(program.works.size(), std::size_t{blocks - 1});
  EXPECT_EQ(program.works.capacity(), program.works.size());
}

TEST(Program, IsBoundAnewWithNothingLeftOfBefore) {
  Schedule schedule(3);
  schedule.round().receive(recvbuf(0), 1).send(recvbuf(1), 2).copy(recvbuf(0), recvbuf(2));
  schedule.round().publish(recvbuf(0), {1, 2}).take(recvbuf(1), 2);
  schedule.round().join({Collective::gather, RankSet::consecutive(0, 2), 0, 1, recvbuf(0), recvbuf(0, 2)});
  const FlatSchedule flat(schedule);
  const Layout layout(3, 10);
  Program program;
  bind(flat, layout, layout, Collective::allreduce, 0, program);
  const std::size_t bytes = program.bytes();
  EXPECT_GT(bytes, 0U);
  bind(flat, layout, layout, Collective::allreduce, 0, program);
  EXPECT_EQ(program.bytes(), bytes);
  EXPECT_EQ(program.steps.size(), 4U);
  EXPECT_EQ(program.messages.size(), 2U);
  EXPECT_EQ(program.readers.size(), 2U);
  EXPECT_EQ(program.shares.size(), 4U);
}

}  // namespace
}  // namespace starling
