#include "cost/predictor.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <set>

#include "cost/candidate_cost.hpp"
#include "topology/places.hpp"

namespace starling {
namespace {

constexpr std::int64_t rate = 100'000'000;

std::vector<int> counted(int from, int count) {
  std::vector<int> numbers(static_cast<std::size_t>(count));
  std::iota(numbers.begin(), numbers.end(), from);
  return numbers;
}

/// A job with a rank on each node.
Predictor predictor_of(int ranks) {
  return Predictor({Platform::of_nodes(ranks, rate), counted(0, ranks), CostParameters{}});
}

Situation allreduce_of(int ranks, std::int64_t bytes) {
  return {.collective = Collective::allreduce, .ranks = ranks, .bytes = bytes, .elements = bytes / 8};
}

/// The candidates that have a prediction.
std::set<std::string> predicted(Predictor& predictor, const Situation& situation) {
  std::set<std::string> names;
  for (const Bound& bound : candidates(situation.collective, situation.ranks))
    if (predictor.seconds(bound, situation, counted(0, situation.ranks))) names.insert(bound.name());
  return names;
}

TEST(Predictor, SaysWhatTheModelSays) {
  Predictor predictor = predictor_of(8);
  const Situation call = allreduce_of(4, 65536);
  const Bound ring = candidate_named(Collective::allreduce, "ring").value();
  const std::vector<int> ranks = counted(2, 4);
  const Network network(Platform::of_nodes(8, rate), ranks);
  EXPECT_EQ(predictor.seconds(ring, call, ranks), predict(ring, call, 0, network, CostParameters{}).seconds);
  EXPECT_EQ(predictor.seconds(ring, call, ranks), predictor.seconds(ring, call, ranks));
}

TEST(Predictor, TellsPlacesApart) {
  const std::vector<int> hosts{0, 0, 0, 0, 1, 2, 3};
  Predictor predictor({Platform::of_nodes(4, rate), hosts, CostParameters{}});
  const Bound ring = candidate_named(Collective::allreduce, "ring").value();
  const auto within = predictor.seconds(ring, allreduce_of(4, 65536), counted(0, 4));
  const auto between = predictor.seconds(ring, allreduce_of(4, 65536), counted(3, 4));
  ASSERT_TRUE(within && between);
  EXPECT_LT(10 * *within, *between);
}

TEST(Predictor, TellsDomainsApart) {
  const std::vector<int> hosts(8);
  Predictor predictor({Platform::of_nodes(1, rate), hosts, CostParameters{}, {0, 0, 0, 0, 1, 1, 1, 1}});
  const Bound ring = candidate_named(Collective::allreduce, "ring").value();
  const auto within = predictor.seconds(ring, allreduce_of(4, 64), counted(0, 4));
  const auto between = predictor.seconds(ring, allreduce_of(4, 64), counted(2, 4));
  ASSERT_TRUE(within && between);
  EXPECT_GT(*between, *within);
}

TEST(Predictor, SaysNothingOfWhatIsRefusedOrUnknown) {
  Predictor predictor = predictor_of(8);
  const Bound doubling = candidate_named(Collective::allgather, "recursive_doubling").value();
  const Situation of_six{.collective = Collective::allgather, .ranks = 6, .bytes = 8, .elements = 8};
  EXPECT_FALSE(predictor.seconds(doubling, of_six, counted(0, 6)));
  const Bound ring = candidate_named(Collective::allgatherv, "ring").value();
  const Situation unknown{.collective = Collective::allgatherv, .ranks = 6, .bytes = -1, .elements = -1};
  EXPECT_FALSE(predictor.seconds(ring, unknown, counted(0, 6)));
}

TEST(Predictor, PredictsAllCandidatesOfFewRanks) {
  Predictor predictor = predictor_of(8);
  const Situation call = allreduce_of(8, 65536);
  const auto names = predicted(predictor, call);
  for (const Bound& bound : candidates(call.collective, call.ranks))
    EXPECT_EQ(names.contains(bound.name()), bound.refusal(call).empty()) << bound.name();
}

TEST(Predictor, OfFewRanksPredictsTheCandidatesWithFewSegments) {
  for (const int ranks : {2, 4}) {
    Predictor predictor = predictor_of(ranks);
    constexpr std::int64_t bytes = std::int64_t{1} << 20;
    const Situation call{.collective = Collective::bcast, .ranks = ranks, .bytes = bytes, .elements = bytes};
    const auto names = predicted(predictor, call);
    for (const char* tree : {"binary", "binomial", "chain", "sequential"}) {
      EXPECT_TRUE(names.contains(std::string(tree) + "?segment=32768")) << tree << " on " << ranks;
      EXPECT_FALSE(names.contains(std::string(tree) + "?segment=1024")) << "a thousand segments: " << tree;
    }
  }
}

TEST(Predictor, ForgetsPredictionsOfManyCalls) {
  Predictor predictor = predictor_of(4);
  const Bound one = candidate_named(Collective::allreduce, "ring").value();
  const auto first = predictor.seconds(one, allreduce_of(4, 4096), counted(0, 4));
  for (int i = 0; i < 2 * Predictor::most_calls; ++i) {
    ASSERT_TRUE(predictor.seconds(one, allreduce_of(4, 8192 + (8 * i)), counted(0, 4)));
    ASSERT_LE(predictor.calls(), Predictor::most_calls + 1);
  }
  EXPECT_EQ(predictor.seconds(one, allreduce_of(4, 4096), counted(0, 4)), first);
}

TEST(Predictor, CommunicatorsOfAMeshTakeTimeToMake) {
  const Predictor predictor = predictor_of(16);
  const Situation call = allreduce_of(16, 65536);
  const auto to_begin = [&](const char* name) {
    return predictor.seconds_to_begin(candidate_named(call.collective, name).value(), call);
  };
  EXPECT_EQ(to_begin("ring"), 0);
  const Situation alltoall{.collective = Collective::alltoall, .ranks = 16, .bytes = 64, .elements = 64};
  const Bound with_barriers = candidate_named(Collective::alltoall, "ring_mpi_barrier").value();
  EXPECT_EQ(predictor.seconds_to_begin(with_barriers, alltoall), 0) << "on the communicator of all";
  const double of_two = to_begin("groups?mesh=4x4");
  EXPECT_GT(of_two, 2 * CostParameters{}.latency);
  EXPECT_DOUBLE_EQ(to_begin("groups?mesh=2x2x4"), 1.5 * of_two);
}

TEST(Predictor, LeavesOutWhatManyRanksTakeTooLongFor) {
  Predictor of_64 = predictor_of(64);
  const auto some = predicted(of_64, allreduce_of(64, 65536));
  EXPECT_TRUE(some.contains("ring")) << "the only candidate of its algorithm, and affordable";
  EXPECT_FALSE(some.contains("rab1?allgather=simple"));
  Predictor of_1024 = predictor_of(1024);
  const auto few = predicted(of_1024, allreduce_of(1024, 65536));
  EXPECT_FALSE(few.contains("ring")) << "two million messages";
  EXPECT_TRUE(few.contains("reduce_bcast"));
  EXPECT_LT(few.size(), some.size());
}

TEST(Predictor, ChoosesWhatItPredictsWhateverIsAskedFirst) {
  Predictor one = predictor_of(64);
  Predictor other = predictor_of(64);
  const Situation call = allreduce_of(64, 65536);
  std::set<std::string> backwards;
  const std::vector<Bound> all = candidates(call.collective, call.ranks);
  for (auto bound = all.rbegin(); bound != all.rend(); ++bound)
    if (other.seconds(*bound, call, counted(0, 64))) backwards.insert(bound->name());
  EXPECT_EQ(predicted(one, call), backwards);
}

TEST(Predictor, GivesUpWhereFlowsShareLinksInTooManyWays) {
  constexpr int ranks = 4096;
  constexpr int on_a_node = 64;
  std::vector<int> hosts = counted(0, ranks);
  for (int& host : hosts) host /= on_a_node;
  const Places places(hosts);
  Predictor predictor({Platform::of_nodes(ranks / on_a_node, rate), hosts, CostParameters{}});
  Situation call = allreduce_of(ranks, std::int64_t{1} << 20);
  call.places = &places;
  const auto names = predicted(predictor, call);
  EXPECT_FALSE(names.contains("recursive_multiplying?k=3")) << "it takes a second and a half";
  EXPECT_TRUE(names.contains("reduce_bcast"));
}

}  // namespace
}  // namespace starling
