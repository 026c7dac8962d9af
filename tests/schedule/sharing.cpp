// The checker on rounds in shared memory: each test breaks one rule, and the checker must report it.

#include "schedule/steps/sharing.hpp"

#include <gtest/gtest.h>

#include <array>
#include <functional>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "schedule/checker.hpp"
#include "schedule/program.hpp"

namespace starling {
namespace {

constexpr std::array<int, 3> one_node{};
constexpr std::array<int, 3> two_nodes{0, 1, 1};

/// What the checker says of schedules that `build(schedule, rank)` makes, of as many ranks as `nodes`.
std::string error_of(Collective collective, int blocks, const std::function<void(Schedule&, int)>& build,
                     std::span<const int> nodes = one_node) {
  std::vector<Schedule> all;
  for (int rank = 0; rank < static_cast<int>(nodes.size()); ++rank) build(all.emplace_back(blocks), rank);
  return check(collective, all, 0, {.blocks = blocks, .nodes = nodes}).error;
}

/// A bcast of three ranks.
void publish_once(Schedule& todo, int rank) {
  if (rank == 0) {
    todo.round().publish(recvbuf(0), {1, 2});
  } else {
    todo.round().take(recvbuf(0), 0);
  }
}

TEST(Sharing, IsRightWhereEachReaderTakesWhatIsPublishedForIt) {
  EXPECT_EQ(error_of(Collective::bcast, 1, publish_once), "");
}

TEST(Sharing, NeedsOneNode) {
  EXPECT_EQ(error_of(Collective::bcast, 1, publish_once, two_nodes),
            "rank 0, round 0: shares memory with rank 1, which is on another node");
  EXPECT_NE(
      error_of(Collective::barrier, 1,
               [](Schedule& todo, int rank) { todo.round().publish(nothing(), {1 - rank}).take(nothing(), 1 - rank); },
               {}),
      "nothing is known of their nodes");
}

TEST(Sharing, MatchesTheBlocksOfPublicationsAndTakes) {
  EXPECT_EQ(error_of(Collective::bcast, 2,
                     [](Schedule& todo, int rank) {
                       if (rank == 0) todo.round().publish(recvbuf(0, 2), {1, 2});
                       if (rank > 0) todo.round().take(recvbuf(0), 0);
                     }),
            "rank 2, round 0: takes recv block 0 from rank 0, which in its round 0 publishes recv blocks 0 to 1, and "
            "these differ in their number of blocks");
}

TEST(Sharing, FindsAPublicationThatNobodyTakesBeforeTheNextRound) {
  // As long as there is room both could publish; without it each waits for the other.
  const std::string error = error_of(Collective::barrier, 3, [](Schedule& todo, int rank) {
    if (rank == 2) return;
    todo.round().publish(nothing(), {1 - rank});
    todo.round().take(nothing(), 1 - rank);
  });
  EXPECT_NE(error.find("a deadlock"), std::string::npos) << error;
}

TEST(Sharing, FindsReadersOfOnePublicationThatWaitForEachOther) {
  // Each takes first what the next one publishes, of which the third takes nothing before it has taken another's.
  const auto exchange = [](Schedule& todo, int rank, int first, int second) {
    Round& all = todo.round().publish(sendbuf(0), {(rank + 1) % 3, (rank + 2) % 3});
    all.take(recvbuf(first), first).take(recvbuf(second), second);
    all.copy(sendbuf(0), recvbuf(rank));
  };
  const std::string error = error_of(Collective::allgather, 3, [&](Schedule& todo, int rank) {
    exchange(todo, rank, (rank + 1) % 3, (rank + 2) % 3);
  });
  EXPECT_NE(error.find("takes what rank"), std::string::npos) << error;
  EXPECT_NE(error.find("a deadlock"), std::string::npos) << error;
  EXPECT_EQ(error_of(Collective::allgather, 3,
                     [&](Schedule& todo, int rank) { exchange(todo, rank, rank == 0 ? 1 : 0, rank == 2 ? 1 : 2); }),
            "");
}

TEST(Sharing, FindsATakeThatNothingIsPublishedFor) {
  const std::string error = error_of(Collective::barrier, 3, [](Schedule& todo, int rank) {
    if (rank == 1) todo.round().take(nothing(), 0);
  });
  EXPECT_EQ(error, "rank 1, round 0: waits until rank 0 publishes a word for it, but rank 0 has finished");
}

TEST(Sharing, FindsTakesIntoWhatTheRoundPublishes) {
  const std::string error = error_of(Collective::allreduce, 1, [](Schedule& todo, int rank) {
    todo.copy(sendbuf(0), recvbuf(0));
    todo.round().publish(recvbuf(0), {(rank + 1) % 3}).take_combined(recvbuf(0), (rank + 2) % 3);
  });
  EXPECT_EQ(error, "rank 0, round 1: takes into recv block 0 while it publishes it");
}

TEST(Sharing, FindsWhatIsCombinedOutOfTheOrderOfRanks) {
  const std::string error = error_of(Collective::reduce, 1, [](Schedule& todo, int rank) {
    if (rank > 0) {
      todo.round().publish(sendbuf(0), {0});
      return;
    }
    todo.round().take(recvbuf(0), 1).take_combined(recvbuf(0), 2).combine(sendbuf(0), recvbuf(0));
  });
  EXPECT_NE(error, "");
}

/// A reduce of two ranks, in which the root takes what the other has with these operands.
std::string error_of_operands(Blocks left, Blocks right) {
  return error_of(
      Collective::reduce, 1,
      [&](Schedule& todo, int rank) {
        if (rank == 1) todo.round().publish(sendbuf(0), {0});
        if (rank == 0) todo.round().take_between(left, 1, right, recvbuf(0));
      },
      std::span(one_node).first(2));
}

TEST(Sharing, CombinesWhatIsTakenBetweenItsOperands) {
  EXPECT_EQ(error_of_operands(sendbuf(0), nothing()), "");
  EXPECT_NE(error_of_operands(nothing(), sendbuf(0)), "") << "out of the order of ranks";
  EXPECT_NE(error_of_operands(nothing(), nothing()), "") << "without the root's";
  EXPECT_NE(error_of_operands(sendbuf(0), recvbuf(0)), "") << "recvbuf was never written";
}

TEST(Sharing, OrdersBarriers) {
  // Rank 2 hears of rank 1 from rank 0 only.
  EXPECT_EQ(error_of(Collective::barrier, 3,
                     [](Schedule& todo, int rank) {
                       if (rank > 0) todo.round().publish(nothing(), {0});
                       if (rank > 0) todo.round().take(nothing(), 0);
                       if (rank == 0) todo.round().take(nothing(), 1).take(nothing(), 2);
                       if (rank == 0) todo.round().publish(nothing(), {1, 2});
                     }),
            "");
  EXPECT_NE(error_of(Collective::barrier, 3, publish_once), "");
}

TEST(Sharing, IsNoRoundOfMessagesToo) {
  Schedule todo(1);
  EXPECT_THROW(todo.round().publish(nothing(), {1}).send(nothing(), 1), std::logic_error);
  EXPECT_THROW(todo.round().send(nothing(), 1).take(nothing(), 1), std::logic_error);
}

TEST(Sharing, LeavesOutBlocksThatTurnOutEmpty) {
  Schedule todo(2);
  todo.round().publish(sendbuf(0), {1, 2}).publish(sendbuf(1), {2}).take(recvbuf(1), 1).take(nothing(), 2);
  const Layout layout(2, 1);  // block 1 is empty
  const Program program = bind(todo, layout, layout, Collective::alltoall, 0);
  ASSERT_EQ(program.steps.size(), 1U);
  const BoundSharing& sharing = program.sharings.front();
  ASSERT_EQ(program.publications_of(sharing).size(), 1U);
  EXPECT_EQ(program.readers_of(program.publications_of(sharing).front()).size(), 2U);
  ASSERT_EQ(program.takes_of(sharing).size(), 1U);
  EXPECT_EQ(program.takes_of(sharing).front().peer, 2);
}

}  // namespace
}  // namespace starling
