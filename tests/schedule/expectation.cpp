#include "schedule/expectation.hpp"

#include <gtest/gtest.h>

namespace starling {
namespace {

TEST(Expectation, OfAllgatherIsOneBlockAsLargeAsTheRanksForEveryBlock) {
  const Expectation has = expectation(Collective::allgatherv, 3, 3, 1, 0);
  EXPECT_EQ(has.send, (std::vector<Content>{{1, 1, 2}}));
  EXPECT_EQ(has.send_sizes, (std::vector<int>{1}));
  EXPECT_EQ(has.recv_after, (std::vector<Content>{{0, 0, 1}, {1, 1, 2}, {2, 2, 3}}));
}

TEST(Expectation, OfAlltoallIsTheBlockOfEveryOtherForMe) {
  const Expectation has = expectation(Collective::alltoall, 3, 3, 2, 0);
  EXPECT_EQ(has.send, (std::vector<Content>{{0, 2, 3}, {1, 2, 3}, {2, 2, 3}}));
  EXPECT_EQ(has.recv_after, (std::vector<Content>{{2, 0, 1}, {2, 1, 2}, {2, 2, 3}}));
}

TEST(Expectation, OfAlltoallvNamesSizesByThePairOfRanks) {
  const Expectation sender = expectation(Collective::alltoallv, 3, 3, 1, 0);
  const Expectation receiver = expectation(Collective::alltoallv, 3, 3, 2, 0);
  EXPECT_EQ(sender.send_sizes[2], receiver.recv_sizes[1]);
  EXPECT_NE(sender.send_sizes[2], receiver.recv_sizes[0]);
}

TEST(Expectation, OfReductionsIsTheSumOverTheRanksThatTheStandardSays) {
  EXPECT_EQ(expectation(Collective::allreduce, 4, 2, 1, 0).recv_after, (std::vector<Content>{{0, 0, 4}, {1, 0, 4}}));
  EXPECT_EQ(expectation(Collective::scan, 4, 1, 2, 0).recv_after, (std::vector<Content>{{0, 0, 3}}));
  EXPECT_EQ(expectation(Collective::exscan, 4, 1, 2, 0).recv_after, (std::vector<Content>{{0, 0, 2}}));
  EXPECT_TRUE(expectation(Collective::exscan, 4, 1, 0, 0).recv_after.empty());
  EXPECT_EQ(expectation(Collective::reduce_scatter, 4, 4, 2, 0).recv_after, (std::vector<Content>{{2, 0, 4}}));
}

TEST(Expectation, GivesBuffersToTheRootAlone) {
  EXPECT_EQ(expectation(Collective::gather, 4, 4, 1, 1).recv_after.size(), 4U);
  EXPECT_TRUE(expectation(Collective::gather, 4, 4, 2, 1).recv_after.empty());
  EXPECT_EQ(expectation(Collective::scatterv, 4, 4, 1, 1).send.size(), 4U);
  EXPECT_TRUE(expectation(Collective::scatterv, 4, 4, 2, 1).send.empty());
  EXPECT_TRUE(expectation(Collective::reduce, 4, 1, 2, 1).recv_after.empty());
}

TEST(Expectation, MayHaveEveryRanksBlockInParts) {
  const Expectation gathered = expectation(Collective::gather, 2, 4, 1, 1);
  EXPECT_EQ(gathered.parts, 2);
  EXPECT_EQ(gathered.send, (std::vector<Content>{{2, 1, 2}, {3, 1, 2}}));
  EXPECT_EQ(gathered.recv_after, (std::vector<Content>{{0, 0, 1}, {1, 0, 1}, {2, 1, 2}, {3, 1, 2}}));
  const Expectation scattered = expectation(Collective::scatter, 2, 4, 1, 0);
  EXPECT_EQ(scattered.recv_after, (std::vector<Content>{{2, 0, 1}, {3, 0, 1}}));
  const Expectation gathered_by_all = expectation(Collective::allgather, 2, 4, 1, 0);
  EXPECT_EQ(gathered_by_all.send, gathered.send);
  EXPECT_EQ(gathered_by_all.recv_after, gathered.recv_after);
  const Expectation exchanged = expectation(Collective::alltoall, 2, 4, 1, 0);
  EXPECT_EQ(exchanged.send, (std::vector<Content>{{0, 1, 2}, {1, 1, 2}, {2, 1, 2}, {3, 1, 2}}));
  EXPECT_EQ(exchanged.recv_after, (std::vector<Content>{{2, 0, 1}, {3, 0, 1}, {2, 1, 2}, {3, 1, 2}}));
  EXPECT_EQ(expectation(Collective::gatherv, 2, 2, 1, 1).parts, 1);
}

TEST(Expectation, OfBcastHasTheDataInTheRootsReceiveBuffer) {
  EXPECT_TRUE(expectation(Collective::bcast, 4, 2, 1, 1).recv_before[1].known());
  EXPECT_FALSE(expectation(Collective::bcast, 4, 2, 0, 1).recv_before[1].known());
  EXPECT_TRUE(expectation(Collective::bcast, 4, 2, 1, 1).send.empty());
}

TEST(Expectation, OfABarrierIsNothing) {
  const Expectation has = expectation(Collective::barrier, 4, 4, 1, 0);
  EXPECT_TRUE(has.send.empty());
  EXPECT_TRUE(has.recv_after.empty());
}

}  // namespace
}  // namespace starling
