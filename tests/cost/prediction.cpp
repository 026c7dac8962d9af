#include "cost/prediction.hpp"

#include <gtest/gtest.h>

#include <stdexcept>
#include <vector>

#include "cost/candidate_cost.hpp"
#include "cost/networks.hpp"
#include "cost/stand_in.hpp"

namespace starling {
namespace {

// A microsecond per byte; times of processors and links differ widely, so that sums show their terms.
constexpr double byte = 1e-6;
constexpr CostParameters simple{.overhead = 1e-3,
                                .gap = 0,
                                .latency = 0.1,
                                .rate_share = 1,
                                .rendezvous = 1 << 30,
                                .memory_latency = 0.01,
                                .memory_per_byte = 2e-6,
                                .domain_latency = 0.02,
                                .domain_per_byte = 2.5e-6,
                                .copy_per_byte = 3e-6,
                                .combine_per_byte = 4e-6};
constexpr double near_enough = 1e-9;

/// A schedule of one round and of `blocks` blocks.
Schedule one_round(int blocks, const std::vector<std::pair<int, int>>& sends,
                   const std::vector<std::pair<int, int>>& receives) {
  Schedule schedule(blocks);
  Round& round = schedule.round();
  for (const auto& [peer, block] : receives) round.receive(recvbuf(block), peer);
  for (const auto& [peer, block] : sends) round.send(sendbuf(block), peer);
  return schedule;
}

double seconds(const std::vector<Schedule>& schedules, std::int64_t block, const Network& network,
               const CostParameters& parameters = simple) {
  std::vector<Program> programs;
  for (std::size_t rank = 0; rank < schedules.size(); ++rank) {
    const Layout layout(schedules[rank].blocks(), schedules[rank].blocks() * block);
    programs.push_back(bind(schedules[rank], layout, layout, Collective::alltoall, static_cast<int>(rank)));
  }
  const Prediction found = predict(programs, network, parameters);
  EXPECT_EQ(found.refusal, "");
  return found.seconds;
}

TEST(Prediction, AMessageTakesOverheadBytesLatencyAndOverhead) {
  const double one = seconds({one_round(1, {{1, 0}}, {}), one_round(1, {}, {{0, 0}})}, 500, star_network(1, 2));
  EXPECT_NEAR(one, 1e-3 + (500 * byte) + 0.1 + 1e-3, near_enough);
}

TEST(Prediction, LinksAddTheirLatencies) {
  const double one =
      seconds({one_round(1, {{1, 0}}, {}), one_round(1, {}, {{0, 0}})}, 500, star_network(2, 1, 8 * mega, 0.25));
  EXPECT_NEAR(one, 1e-3 + (500 * byte) + 0.1 + (3 * 0.25) + 1e-3, near_enough);
}

TEST(Prediction, ARateShareSlowsEveryLink) {
  CostParameters parameters = simple;
  parameters.rate_share = 0.5;
  const double one =
      seconds({one_round(1, {{1, 0}}, {}), one_round(1, {}, {{0, 0}})}, 500, star_network(1, 2), parameters);
  EXPECT_NEAR(one, 1e-3 + (1000 * byte) + 0.1 + 1e-3, near_enough);
}

TEST(Prediction, TwoSendersShareTheLinkOfTheirReceiver) {
  const double both =
      seconds({one_round(2, {}, {{1, 0}, {2, 1}}), one_round(2, {{0, 0}}, {}), one_round(2, {{0, 0}}, {})}, 500,
              star_network(1, 3));
  EXPECT_NEAR(both, 1e-3 + (1000 * byte) + 0.1 + (2 * 1e-3), near_enough);
}

TEST(Prediction, BothDirectionsOfALinkHaveItsRate) {
  const double both =
      seconds({one_round(1, {{1, 0}}, {{1, 0}}), one_round(1, {{0, 0}}, {{0, 0}})}, 500, star_network(1, 2));
  EXPECT_NEAR(both, 1e-3 + (500 * byte) + 0.1 + 1e-3, near_enough);
}

TEST(Prediction, ATrunkIsSharedByAllThatCrossIt) {
  // Ranks 0 and 1 on one switch, 2 and 3 on the other; the trunk is as fast as one host.
  const std::vector<Schedule> across{one_round(1, {{2, 0}}, {}), one_round(1, {{3, 0}}, {}), one_round(1, {}, {{0, 0}}),
                                     one_round(1, {}, {{1, 0}})};
  EXPECT_NEAR(seconds(across, 500, star_network(2, 2)), 1e-3 + (1000 * byte) + 0.1 + 1e-3, near_enough);
  EXPECT_NEAR(seconds(across, 500, star_network(2, 2, 16 * mega)), 1e-3 + (500 * byte) + 0.1 + 1e-3, near_enough);
}

TEST(Prediction, RanksOfOneHostShareItsLinkAndTalkThroughMemory) {
  const Network network(star(1, 3), {0, 0, 1, 2});
  const double apart = seconds(
      {one_round(1, {{2, 0}}, {}), one_round(1, {{3, 0}}, {}), one_round(1, {}, {{0, 0}}), one_round(1, {}, {{1, 0}})},
      500, network);
  EXPECT_NEAR(apart, 1e-3 + (1000 * byte) + 0.1 + 1e-3, near_enough);
  const double together =
      seconds({one_round(1, {{1, 0}}, {}), one_round(1, {}, {{0, 0}}), Schedule(1), Schedule(1)}, 500, network);
  EXPECT_NEAR(together, 1e-3 + (500 * 2e-6) + 0.01 + 1e-3, near_enough);
}

TEST(Prediction, AMessageWithoutBytesTakesOnlyLatency) {
  Schedule sender(1);
  sender.round().send(nothing(), 1);
  Schedule receiver(1);
  receiver.round().receive(nothing(), 0);
  EXPECT_NEAR(seconds({sender, receiver}, 500, star_network(1, 2)), 1e-3 + 0.1 + 1e-3, near_enough);
}

TEST(Prediction, MessagesBetweenTwoRanksFollowEachOther) {
  // The first may not be overtaken, so the receiver of the second waits for both.
  Schedule sender(2);
  sender.round().send(sendbuf(0), 1);
  sender.round().send(nothing(), 1);
  Schedule receiver(2);
  receiver.round().receive(recvbuf(0), 0);
  receiver.round().receive(nothing(), 0);
  EXPECT_NEAR(seconds({sender, receiver}, 5000, star_network(1, 2)), 1e-3 + (5000 * byte) + 0.1 + (2 * 1e-3),
              near_enough);
}

TEST(Prediction, AGapKeepsSendsApart) {
  CostParameters parameters = simple;
  parameters.gap = 0.5;
  const double both =
      seconds({one_round(2, {{1, 0}, {2, 1}}, {}), one_round(2, {}, {{0, 0}}), one_round(2, {}, {{0, 0}})}, 500,
              star_network(1, 3), parameters);
  EXPECT_NEAR(both, 1e-3 + 0.5 + (500 * byte) + 0.1 + 1e-3, near_enough);
}

TEST(Prediction, ALargeMessageAsksFirstAndWaitsForItsReceive) {
  CostParameters parameters = simple;
  parameters.rendezvous = 500;
  constexpr double way = 0.1 + 1e-3;
  const std::vector<Schedule> prompt{one_round(1, {{1, 0}}, {}), one_round(1, {}, {{0, 0}})};
  const double message = (500 * byte) + 0.1 + 1e-3;
  EXPECT_NEAR(seconds(prompt, 500, star_network(1, 2), parameters), 1e-3 + (2 * way) + message, near_enough);
  // The receiver copies for 1.5 s first; the answer goes out when that is done.
  Schedule late(1);
  for (int i = 0; i < 1000; ++i) late.copy(sendbuf(0), recvbuf(0));
  late.round().receive(recvbuf(0), 0);
  EXPECT_NEAR(seconds({prompt[0], late}, 500, star_network(1, 2), parameters), 1.5 + way + message, near_enough);
}

TEST(Prediction, LargeMessagesToEachOtherTakeTurnsWhereTheMpiMakesThem) {
  const std::vector<Schedule> exchange{one_round(1, {{1, 0}}, {{1, 0}}), one_round(1, {{0, 0}}, {{0, 0}})};
  CostParameters parameters = simple;
  parameters.large_take_turns = true;
  const double message = 1e-3 + (500 * byte) + 0.1 + 1e-3;
  EXPECT_NEAR(seconds(exchange, 500, star_network(1, 2), parameters), message, near_enough);
  parameters.rendezvous = 500;
  const double question_and_answer = 2 * (0.1 + 1e-3);
  EXPECT_NEAR(seconds(exchange, 500, star_network(1, 2), parameters), question_and_answer + message + (500 * byte),
              near_enough);
  // Around a ring no two ranks send to each other.
  const std::vector<Schedule> ring{one_round(1, {{1, 0}}, {{2, 0}}), one_round(1, {{2, 0}}, {{0, 0}}),
                                   one_round(1, {{0, 0}}, {{1, 0}})};
  EXPECT_NEAR(seconds(ring, 500, star_network(1, 3), parameters), question_and_answer + message, near_enough);
}

TEST(Prediction, LocalWorkTakesTimePerByte) {
  Schedule alone(1);
  alone.copy(sendbuf(0), recvbuf(0));
  alone.combine(sendbuf(0), recvbuf(0));
  EXPECT_NEAR(seconds({alone}, 1000, star_network(1, 1)), 1000 * (3e-6 + 4e-6), near_enough);
}

TEST(Prediction, ABarrierIsADisseminationOnceAllHaveCome) {
  std::vector<Schedule> all(5, Schedule(1));
  for (int i = 0; i < 1000; ++i) all[3].copy(sendbuf(0), recvbuf(0));  // 1.5 s late
  for (Schedule& one : all)
    one.round().join({Collective::barrier, RankSet::consecutive(0, 5), 0, 1, nothing(), nothing()});
  EXPECT_NEAR(seconds(all, 500, star_network(1, 5)), 1.5 + (3 * (0.1 + 2e-3)), near_enough);
}

/// Seconds of `collective` on all ranks by the MPI library, and of its stand-in.
std::pair<double, double> by_the_library(Collective collective, int ranks, std::int64_t bytes, const Network& network) {
  const bool is_vector = divides_a_vector(collective);
  const int blocks = is_vector ? 1 : ranks;
  const Traits& has = traits_of(collective);
  std::vector<Program> programs;
  for (int rank = 0; rank < ranks; ++rank) {
    Schedule one(blocks);
    one.round().join({collective, RankSet::consecutive(0, ranks), 0, 1,
                      sendbuf(0, has.send == Holds::block ? 1 : blocks),
                      recvbuf(0, has.recv == Holds::block ? 1 : blocks)});
    const Layout layout(blocks, blocks * bytes);
    programs.push_back(bind(one, layout, layout, collective, rank));
  }
  const Situation situation{collective, ranks, bytes, bytes};
  return {predict(programs, network, simple).seconds,
          predict(stand_in(collective, ranks, bytes), situation, 0, network, simple).seconds};
}

TEST(Prediction, CollectivesOfTheMpiLibraryTakeAsLongAsTheirStandIns) {
  for (const Collective collective :
       {Collective::bcast, Collective::reduce, Collective::allreduce, Collective::gather, Collective::scatter,
        Collective::allgather, Collective::alltoall, Collective::reduce_scatter_block})
    for (const int ranks : {2, 6, 8, 12})
      for (const std::int64_t bytes : {1, 1000, 100'000}) {
        const auto [part, stand_in] = by_the_library(collective, ranks, bytes, star_network(1, ranks));
        EXPECT_GT(part, 0);
        EXPECT_NEAR(part, stand_in, near_enough) << name_of(collective) << ", " << ranks << " ranks, " << bytes;
      }
}

TEST(Prediction, PartsOfGroupsShareTheNetwork) {
  // Two switches with a link as slow as a host's between them.
  const Network network = star_network(2, 4);
  const auto seconds_of = [&](int step, int next) {
    std::vector<Schedule> schedules(8, Schedule(4));
    for (int rank = 0; rank < 8; ++rank) {
      const int group = step == 1 ? rank / 4 : rank % 2;
      schedules[static_cast<std::size_t>(rank)].round().join(
          {Collective::allgather, RankSet::every(step, group * next, 4), 0, 1, sendbuf(0), recvbuf(0, 4)});
    }
    return seconds(schedules, 10'000, network);
  };
  const double within_switches = seconds_of(1, 4);
  EXPECT_NEAR(within_switches, (10'000 * (3e-6 + (3 * byte))) + (2 * (2e-3 + 0.1)), near_enough)
      << "a copy of its own block, then recursive doubling, as if there were no other group";
  EXPECT_GT(seconds_of(2, 1), within_switches + (3 * 10'000 * byte)) << "both groups go across";
}

TEST(Prediction, NeverLoopsOverWrongSchedules) {
  EXPECT_THROW(seconds({one_round(1, {}, {{1, 0}}), one_round(1, {}, {{0, 0}})}, 500, star_network(1, 2)),
               std::invalid_argument);
  EXPECT_THROW(seconds({one_round(1, {{1, 0}}, {}), one_round(1, {}, {})}, 500, star_network(1, 2)),
               std::invalid_argument);
  Schedule waits(1);
  waits.round().receive(recvbuf(0), 1);
  waits.round().send(sendbuf(0), 1);
  Schedule waits_too(1);
  waits_too.round().receive(recvbuf(0), 0);
  waits_too.round().send(sendbuf(0), 0);
  EXPECT_THROW(seconds({waits, waits_too}, 500, star_network(1, 2)), std::invalid_argument);
}

/// Rank 0 publishes a block for so many readers on its host.
double seconds_of_sharing(int readers, std::int64_t bytes, bool combines) {
  const std::vector<int> hosts(static_cast<std::size_t>(readers) + 1);
  std::vector<Schedule> all(hosts.size(), Schedule(1));
  std::vector<int> ranks;
  for (int reader = 1; reader <= readers; ++reader) {
    ranks.push_back(reader);
    Round& round = all[static_cast<std::size_t>(reader)].round();
    combines ? round.take_combined(recvbuf(0), 0) : round.take(recvbuf(0), 0);
  }
  all.front().round().publish(sendbuf(0), ranks);
  return seconds(all, bytes, Network(star(1, 1, 8 * mega, 0, readers + 1), hosts));
}

TEST(Prediction, SharedMemoryTakesLatencyAndACopyForAllReadersAtOnce) {
  const double copied = simple.memory_latency + (1000 * simple.copy_per_byte);
  EXPECT_NEAR(seconds_of_sharing(1, 1000, false), copied, near_enough);
  EXPECT_NEAR(seconds_of_sharing(3, 1000, false), copied, near_enough);
  EXPECT_NEAR(seconds_of_sharing(1, 1000, true), simple.memory_latency + (1000 * simple.combine_per_byte), near_enough);
}

/// One host with a rank for each of these numbers, which are their domains.
Network host_of(const std::vector<int>& domains) {
  const auto ranks = static_cast<int>(domains.size());
  return {star(1, 1, 8 * mega, 0, ranks), std::vector<int>(domains.size()), domains};
}

TEST(Prediction, MessagesBetweenDomainsOfAHostTakeTheWayInOneAfterTheOther) {
  const std::vector<Schedule> two{one_round(1, {{2, 0}}, {}), one_round(1, {{3, 0}}, {}), one_round(1, {}, {{0, 0}}),
                                  one_round(1, {}, {{1, 0}})};
  const double within = 1e-3 + (500 * simple.memory_per_byte) + simple.memory_latency + 1e-3;
  EXPECT_NEAR(seconds(two, 500, host_of({0, 0, 0, 0})), within, near_enough);
  EXPECT_NEAR(seconds(two, 500, host_of({0, 1, 0, 1})), within, near_enough);
  const double latency = simple.memory_latency + simple.domain_latency;
  EXPECT_NEAR(seconds(two, 500, host_of({0, 0, 1, 1})), 1e-3 + (2 * 500 * simple.domain_per_byte) + latency + 1e-3,
              near_enough);
  EXPECT_NEAR(seconds(two, 500, host_of({0, 0, 1, 2})), 1e-3 + (500 * simple.domain_per_byte) + latency + 1e-3,
              near_enough)
      << "into different domains";
}

TEST(Prediction, ReadersInAnotherDomainTakeTheWayInOneAfterTheOther) {
  std::vector<Schedule> all(4, Schedule(1));
  all.front().round().publish(sendbuf(0), {1, 2, 3});
  for (std::size_t reader = 1; reader < 4; ++reader) all[reader].round().take(recvbuf(0), 0);
  const double begun = simple.memory_latency + simple.domain_latency;
  EXPECT_NEAR(seconds(all, 1000, host_of({0, 1, 1, 1})), begun + (3 * 1000 * simple.domain_per_byte), near_enough);
  EXPECT_NEAR(seconds(all, 1000, host_of({0, 0, 0, 1})), begun + (1000 * simple.copy_per_byte), near_enough)
      << "one reader copies more slowly than the way in carries";
}

/// Two ranks of a host publish a block for each other.
double seconds_of_exchange(std::int64_t bytes, bool combines, bool once = false) {
  std::vector<Schedule> both(2, Schedule(1));
  for (std::size_t rank = 0; rank < 2; ++rank) {
    const int other = 1 - static_cast<int>(rank);
    if (combines) both[rank].copy(sendbuf(0), recvbuf(0));
    Round& round = both[rank].round().publish(sendbuf(0), {other}, once);
    combines ? round.take_combined(recvbuf(0), other) : round.take(recvbuf(0), other);
  }
  return seconds(both, bytes, host_of({0, 0}));
}

TEST(Prediction, LargeDataForOneReaderIsCopiedOnce) {
  constexpr std::int64_t large = BoundPublication::least_in_place;
  const double copied = static_cast<double>(large) * simple.copy_per_byte;
  const double less = static_cast<double>(large - 1) * simple.copy_per_byte;
  EXPECT_NEAR(seconds_of_exchange(large - 1, false), 2 * less, near_enough) << "each processor copies in and out";
  EXPECT_NEAR(seconds_of_exchange(large, false), copied + (2 * simple.memory_latency), near_enough)
      << "each copies out, and hears that the other has";
  const double combined = static_cast<double>(large) * simple.combine_per_byte;
  EXPECT_NEAR(seconds_of_exchange(large, true), copied + copied + combined + (2 * simple.memory_latency), near_enough)
      << "what is combined is copied before";
  EXPECT_NEAR(seconds_of_sharing(2, large, false), simple.memory_latency + copied, near_enough)
      << "copied in for several";
}

TEST(Prediction, DataIsCopiedOnceWhereTheScheduleAsksForIt) {
  constexpr std::int64_t least = BoundPublication::least_copied_once;
  EXPECT_NEAR(seconds_of_exchange(least - 1, false, true), 2 * static_cast<double>(least - 1) * simple.copy_per_byte,
              near_enough);
  EXPECT_NEAR(seconds_of_exchange(least, false, true),
              (static_cast<double>(least) * simple.copy_per_byte) + (2 * simple.memory_latency), near_enough);
}

TEST(Prediction, AWriterThatOnlyWaitsForOneReaderCopiesHalf) {
  constexpr std::int64_t least = BoundPublication::least_copied_once;
  const double copied = static_cast<double>(least) * simple.copy_per_byte;
  std::vector<Schedule> both(2, Schedule(1));
  both[0].round().publish(sendbuf(0), {1}, true);
  both[1].round().take(recvbuf(0), 0);
  EXPECT_NEAR(seconds(both, least, host_of({0, 0})), (copied / 2) + (2 * simple.memory_latency), near_enough);
  both[1] = Schedule(1);
  both[1].copy(sendbuf(0), recvbuf(0));
  both[1].round().take_combined(recvbuf(0), 0);
  const double combined = static_cast<double>(least) * simple.combine_per_byte;
  EXPECT_NEAR(seconds(both, least, host_of({0, 0})), copied + copied + combined + simple.memory_latency, near_enough)
      << "what is combined is the reader's work, who comes late";
}

TEST(Prediction, AWriterWaitsForAllThatStaysInPlace) {
  constexpr std::int64_t large = BoundPublication::least_in_place;
  std::vector<Schedule> all(3, Schedule(2));
  all.front().round().publish(sendbuf(0), {1}).publish(sendbuf(1), {2});
  all[1].round().take(recvbuf(0), 0);
  all[2].round().take(recvbuf(0), 0);
  const double copied = static_cast<double>(large) * simple.copy_per_byte;
  EXPECT_NEAR(seconds(all, large, host_of({0, 0, 0})), copied + (2 * simple.memory_latency), near_enough)
      << "both readers at once";
}

TEST(Prediction, AWriterWaitsForAllReadersOfWhatStaysInPlace) {
  constexpr std::int64_t large = BoundPublication::least_copied_once;
  const double copied = static_cast<double>(large) * simple.copy_per_byte;
  const double once = copied + (2 * simple.memory_latency);
  std::vector<Schedule> all(4, Schedule(1));
  all.front().copy(sendbuf(0), recvbuf(0));
  all.front().round().publish(sendbuf(0), {1, 2, 3}, true);
  for (std::size_t reader = 1; reader < 4; ++reader) all[reader].round().take(recvbuf(0), 0);
  EXPECT_NEAR(seconds(all, large, host_of({0, 0, 0, 0})), copied + once, near_enough) << "who come before it";
  all[3] = Schedule(1);
  for (int copies = 0; copies < 3; ++copies) all[3].copy(sendbuf(0), recvbuf(0));
  all[3].round().take(recvbuf(0), 0);
  all.front().copy(sendbuf(0), recvbuf(0));
  EXPECT_NEAR(seconds(all, large, host_of({0, 0, 0, 0})), (3 * copied) + copied + simple.memory_latency + copied,
              near_enough)
      << "one of whom comes late";
}

TEST(Prediction, RanksThatWaitForEverInSharedMemoryAreRefused) {
  std::vector<Schedule> all(2, Schedule(1));
  all.front().round().take(recvbuf(0), 1);
  EXPECT_THROW(seconds(all, 8, Network(star(1, 1, 8 * mega, 0, 2), {0, 0})), std::invalid_argument);
}

}  // namespace
}  // namespace starling
