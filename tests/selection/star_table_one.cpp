// STAR-MPI, table 1: calls in Measure_Select on the paper's lists of algorithms, ITER = 10.

#include "lockstep.hpp"
#include "paper_repository.hpp"

namespace starling::testing {
namespace {

/// Calls until Monitor_Adapt where `winner` and its group are the fastest; it is what is then used.
int calls_in_measure_select(std::string_view strategy, const Brief& brief, const std::string& winner) {
  const int best = place_of(brief, winner);
  const Interned group = brief.candidates[static_cast<std::size_t>(best)].group;
  Lockstep ranks(strategy, brief, 4, [&](int rank, int candidate, int call) {
    const bool same_group = brief.candidates[static_cast<std::size_t>(candidate)].group == group;
    const double seconds = candidate == best ? 1e-3 : same_group ? 2e-3 : 3e-3;
    return seconds * (1 + 0.01 * ((rank + call) % 5));
  });
  while (ranks.strategy().stage() != "monitor_adapt" && ranks.made().size() < 1000 &&
         !::testing::Test::HasFatalFailure())
    ranks.call();
  EXPECT_EQ(ranks.proposed(), best);
  return static_cast<int>(ranks.made().size());
}

TEST(TableOne, AllToAllAbove256BytesTakes90CallsBasicAnd50Or60Grouped) {
  const Brief brief = paper::alltoall(2048);
  // 13 algorithms less the 4 for small blocks: 9 x 10.
  EXPECT_EQ(calls_in_measure_select("star-basic", brief, "simple"), 90);
  EXPECT_EQ(calls_in_measure_select("star-basic", brief, "pair_light_barrier"), 90);
  // One of each of the 5 groups that are left: 5 x 10, and nothing more where `simple` wins (2 KB in the paper), for it
  // is alone in its group.
  EXPECT_EQ(calls_in_measure_select("star", brief, "simple"), 50);
  // Every other group has a second algorithm: + 10 (128 KB in the paper).
  for (const char* winner : {"ring", "pair", "pair_light_barrier", "ring_mpi_barrier", "phased_mpi_barrier"})
    EXPECT_EQ(calls_in_measure_select("star", brief, winner), 60) << winner;
}

TEST(TableOne, AllToAllUpTo256BytesHasTheLogarithmicGroupToo) {
  const Brief brief = paper::alltoall(256);
  EXPECT_EQ(calls_in_measure_select("star-basic", brief, "bruck?k=2"), 130);
  EXPECT_EQ(calls_in_measure_select("star", brief, "simple"), 60);
  EXPECT_EQ(calls_in_measure_select("star", brief, "bruck?k=2"), 60 + 30);
}

TEST(TableOne, AllGatherTakes120CallsBasicAnd60Grouped) {
  const Brief brief = paper::allgather();
  EXPECT_EQ(calls_in_measure_select("star-basic", brief, "simple"), 120);
  EXPECT_EQ(calls_in_measure_select("star-basic", brief, "switch_ring"), 120);
  // One of each of 6 groups. The paper's winners, `simple` at 2 KB and the switch ring (TSLR) at 128 KB, are alone in
  // their groups, so that is all.
  EXPECT_EQ(calls_in_measure_select("star", brief, "simple"), 60);
  EXPECT_EQ(calls_in_measure_select("star", brief, "switch_ring"), 60);
  EXPECT_EQ(calls_in_measure_select("star", brief, "pair"), 70) << "a group of two";
  EXPECT_EQ(calls_in_measure_select("star", brief, "bruck?k=2"), 90) << "a group of four";
}

TEST(TableOne, AllReduceTakes200CallsBasicAnd110Grouped) {
  const Brief brief = paper::allreduce();
  EXPECT_EQ(calls_in_measure_select("star-basic", brief, "rab1?allgather=mesh2d"), 200);
  // One of each of the 3 types, 30 calls, then the other 8 of Rab1, whose variants win at both sizes in the paper.
  EXPECT_EQ(calls_in_measure_select("star", brief, "rab1?allgather=mesh2d"), 30 + 80);
  EXPECT_EQ(calls_in_measure_select("star", brief, "rab1?allgather=bruck"), 30 + 80);
  EXPECT_EQ(calls_in_measure_select("star", brief, "gather_reduce?allgather=pairwise"), 30 + 40);
  EXPECT_EQ(calls_in_measure_select("star", brief, brief.candidates.back().name.text()), 30 + 50);
}

TEST(TableOne, NativeIsOneCandidateAndOneGroupMore) {
  const auto basic = [](const Brief& brief, const char* winner) {
    return calls_in_measure_select("star-basic", with_native(brief), winner);
  };
  const auto grouped = [](const Brief& brief, const char* winner) {
    return calls_in_measure_select("star", with_native(brief), winner);
  };
  EXPECT_EQ(basic(paper::alltoall(2048), "simple"), 100);
  EXPECT_EQ(basic(paper::allgather(), "simple"), 130);
  EXPECT_EQ(basic(paper::allreduce(), "rab1?allgather=mesh2d"), 210);
  EXPECT_EQ(grouped(paper::alltoall(2048), "simple"), 60);
  EXPECT_EQ(grouped(paper::alltoall(2048), "pair_light_barrier"), 70);
  EXPECT_EQ(grouped(paper::allgather(), "switch_ring"), 70);
  EXPECT_EQ(grouped(paper::allreduce(), "rab1?allgather=bruck"), 120);
  EXPECT_EQ(grouped(paper::allreduce(), "native"), 40) << "native wins: the others' groups stay unprobed";
}

}  // namespace
}  // namespace starling::testing
