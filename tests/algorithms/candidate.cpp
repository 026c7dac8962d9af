#include "algorithms/candidate.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace starling {
namespace {

TEST(CandidateNamed, FindsAlgorithmSynchronisationAndParameters) {
  const auto chain = candidate_named(Collective::bcast, "chain?segment=8192");
  ASSERT_TRUE(chain);
  EXPECT_EQ(chain->parameters.number("segment"), 8192);
  EXPECT_EQ(chain->algorithm_name(), "chain");
  const auto ring = candidate_named(Collective::alltoall, "ring_light_barrier");
  ASSERT_TRUE(ring);
  EXPECT_EQ(ring->algorithm->name, "ring");
  EXPECT_EQ(ring->synchronisation, Synchronisation::light_barrier);
  EXPECT_EQ(ring->group(), "light_barrier");
  EXPECT_EQ(candidate_named(Collective::alltoall, "ring")->group(), "ring");
}

TEST(CandidateNamed, TakesTheFirstValueOfAParameterThatIsNotNamed) {
  EXPECT_EQ(candidate_named(Collective::bcast, "chain")->name(), "chain?segment=none");
  EXPECT_EQ(candidate_named(Collective::bcast, "chain")->parameters.number("segment"), 0);
  EXPECT_EQ(candidate_named(Collective::allreduce, "rab1")->name(), "rab1?allgather=ring");
}

TEST(CandidateNamed, TakesAnyNumberWhereValuesAreNumbers) {
  EXPECT_EQ(candidate_named(Collective::bcast, "chain?segment=5000")->name(), "chain?segment=5000");
  EXPECT_EQ(candidate_named(Collective::alltoall, "bruck?k=3")->parameters.number("k"), 3);
}

TEST(CandidateNamed, RefusesWhatItDoesNotKnow) {
  for (const char* name :
       {"", "?", "chian", "chain?", "chain?segment", "chain?segment=", "chain?segment=0", "chain?segment=-1",
        "chain?segment=08", "chain?segment=big", "chain?size=8", "chain?segment=8,segment=8", "chain_mpi_barrier",
        "ring", "chain?segment=99999999999999999999"})
    EXPECT_FALSE(candidate_named(Collective::bcast, name)) << name;
  EXPECT_FALSE(candidate_named(Collective::allreduce, "rab1?allgather=17")) << "names are not numbers";
}

TEST(Meshes, AreAsManyAsTheRanksHaveFactorisations) {
  const auto meshes = [](int ranks) {
    std::vector<std::string> all;
    for (const Bound& bound : candidates(Collective::bcast, ranks))
      if (bound.algorithm->name == "groups") all.emplace_back(bound.parameters.text("mesh"));
    return all;
  };
  using Names = std::vector<std::string>;
  EXPECT_EQ(meshes(7), (Names{"3x3", "2x4", "4x2"})) << "a prime number, with a short last row";
  EXPECT_EQ(meshes(6), (Names{"2x3", "3x2"}));
  EXPECT_EQ(meshes(8), (Names{"2x4", "4x2", "2x2x2"}));
  EXPECT_EQ(meshes(16), (Names{"4x4", "2x8", "8x2", "2x2x4", "2x4x2", "4x2x2"}));
  Names of_the_paper{"2x48", "3x32", "4x24", "6x16", "8x12", "12x8", "16x6", "24x4", "32x3", "48x2"};
  Names flat = meshes(96);
  EXPECT_EQ(flat.size(), 10U + 30U);
  flat.resize(10);
  std::sort(flat.begin(), flat.end());
  std::sort(of_the_paper.begin(), of_the_paper.end());
  EXPECT_EQ(flat, of_the_paper);
}

TEST(CandidateNamed, TakesAnyMeshThatIsWellFormed) {
  EXPECT_EQ(candidate_named(Collective::bcast, "groups")->name(), "groups?mesh=square");
  EXPECT_EQ(candidate_named(Collective::bcast, "groups?mesh=4x24")->name(), "groups?mesh=4x24");
  EXPECT_EQ(candidate_named(Collective::bcast, "groups?mesh=2x4x12")->name(), "groups?mesh=2x4x12");
  for (const char* mesh : {"", "x", "2", "12", "2x", "x2", "2x1", "1x2", "0x2", "2x02", "-2x2", "2x2x2x2", "2x 2",
                           "axb", "2*2", "2x99999999999", "square x", "Square"})
    EXPECT_FALSE(candidate_named(Collective::bcast, std::string("groups?mesh=") + mesh)) << mesh;
}

TEST(Parameters, ThrowForANameThatIsNotBound) {
  const Parameters none;
  EXPECT_THROW((void)none.text("segment"), std::out_of_range);
}

TEST(Parameters, AreNumbersOnlyIfAllOfTheTextIsOne) {
  const Parameters bound{{"segment", "8192"}, {"none", "none"}, {"unit", "8k"}, {"empty", ""}, {"word", "ring"}};
  EXPECT_EQ(bound.number("segment"), 8192);
  EXPECT_EQ(bound.number("none"), 0);
  for (const char* name : {"unit", "empty", "word"}) EXPECT_THROW((void)bound.number(name), std::invalid_argument);
}

TEST(Refusal, SaysWhyInWords) {
  const auto refusal = [](Collective collective, std::string_view name, Situation situation) {
    situation.collective = collective;
    return candidate_named(collective, name)->refusal(situation);
  };
  EXPECT_EQ(refusal(Collective::alltoall, "pair", {.ranks = 6, .bytes = 8}), "needs a power of two of ranks");
  EXPECT_EQ(refusal(Collective::alltoall, "pair", {.ranks = 8, .bytes = 8}), "");
  EXPECT_EQ(refusal(Collective::allreduce, "ring", {.ranks = 6, .bytes = 8, .commutative = false}),
            "needs a commutative operator");
  EXPECT_EQ(refusal(Collective::bcast, "chain?segment=1024", {.ranks = 6, .bytes = 1024}),
            "the message is one segment");
  EXPECT_EQ(refusal(Collective::bcast, "chain?segment=1024", {.ranks = 6, .bytes = 1025}), "");
  EXPECT_EQ(refusal(Collective::bcast, "chain?segment=1024", {.ranks = 6, .bytes = 1024 * 1024}), "");
  EXPECT_EQ(refusal(Collective::bcast, "chain?segment=1024", {.ranks = 6, .bytes = (1024 * 1024) + 1}),
            "would divide the message into more than 1024 segments");
  EXPECT_EQ(refusal(Collective::gather, "sequential?segment=1024", {.ranks = 8, .bytes = 1024}),
            "the message is one segment");
  EXPECT_EQ(refusal(Collective::gather, "sequential?segment=1024", {.ranks = 8, .bytes = 1025}), "");
  EXPECT_EQ(refusal(Collective::scatter, "chain?segment=1024", {.ranks = 8, .bytes = 146}),
            "the message is one segment");
  EXPECT_EQ(refusal(Collective::scatter, "chain?segment=1024", {.ranks = 8, .bytes = 147}), "");
  EXPECT_EQ(refusal(Collective::gather, "binomial?segment=1024", {.ranks = 8, .bytes = 256}),
            "the message is one segment");
  EXPECT_EQ(refusal(Collective::gather, "binomial?segment=1024", {.ranks = 8, .bytes = 257}), "");
  EXPECT_EQ(refusal(Collective::gather, "binary?segment=1024", {.ranks = 1024, .bytes = 9 * 1024}),
            "would give the root more than 8192 messages");
  EXPECT_EQ(refusal(Collective::allgather, "groups?mesh=3x2", {.ranks = 8, .bytes = 8}),
            "needs 6 ranks for a mesh of 3x2");
  EXPECT_EQ(refusal(Collective::allgather, "groups?mesh=2147483647x2x2147483647", {.ranks = 8, .bytes = 8}),
            "needs more ranks for a mesh of 2147483647x2x2147483647");
  EXPECT_EQ(refusal(Collective::allgather, "groups?mesh=3x2", {.ranks = 6, .bytes = 8}), "");
  EXPECT_EQ(refusal(Collective::allgather, "groups", {.ranks = 7, .bytes = 8}),
            "needs a number of ranks that is a product of two");
  EXPECT_EQ(refusal(Collective::allgather, "groups?mesh=cube", {.ranks = 6, .bytes = 8}),
            "needs a number of ranks that is a product of three");
  EXPECT_EQ(refusal(Collective::allreduce, "groups?mesh=2x3",
                    {.ranks = 6, .bytes = std::int64_t{1} << 34, .elements = std::int64_t{1} << 31}),
            "has more data than MPI can count in an int");
  EXPECT_EQ(refusal(Collective::allreduce, "groups?mesh=2x3",
                    {.ranks = 6, .bytes = std::int64_t{1} << 34, .elements = std::int64_t{1} << 30}),
            "has more data than MPI can count in an int")
      << "as elements of one byte";
  EXPECT_EQ(refusal(Collective::alltoall, "bruck?k=1", {.ranks = 6, .bytes = 8}), "needs a radix of at least 2");
  EXPECT_EQ(refusal(Collective::allreduce, "rab1?allgather=recursive_doubling", {.ranks = 6, .bytes = 8}),
            "allgatherv:recursive_doubling needs a power of two of ranks");
}

TEST(Refusal, BoundsWhatIsSentWithoutWaiting) {
  const auto refusal = [](int ranks, std::int64_t bytes) {
    const auto bound = candidate_named(Collective::alltoall, "segmented_simple");
    return bound->refusal({.collective = Collective::alltoall, .ranks = ranks, .bytes = bytes});
  };
  EXPECT_EQ(refusal(16, 32768), "the message is one segment");
  EXPECT_EQ(refusal(16, 1 << 22), "");
  EXPECT_EQ(refusal(16, (1 << 22) + 1), "would send more than 64 MiB without waiting for the receiver");
}

TEST(Blocks, AreSegmentsOrOneForEachRank) {
  const auto blocks = [](Collective collective, std::string_view name, std::int64_t bytes) {
    return candidate_named(collective, name)->blocks({.collective = collective, .ranks = 6, .bytes = bytes});
  };
  EXPECT_EQ(blocks(Collective::bcast, "binomial?segment=1024", 4096), 4);
  EXPECT_EQ(blocks(Collective::bcast, "binomial?segment=1024", 4097), 5);
  EXPECT_EQ(blocks(Collective::bcast, "binomial", 4097), 1);
  EXPECT_EQ(blocks(Collective::bcast, "scatter_allgather", 4097), 6);
  EXPECT_EQ(blocks(Collective::allreduce, "recursive_doubling", 4097), 1);
  EXPECT_EQ(blocks(Collective::allreduce, "ring", 4097), 6);
  EXPECT_EQ(blocks(Collective::alltoall, "ring", 4097), 6);
  EXPECT_EQ(blocks(Collective::gather, "chain", 4097), 6);
  EXPECT_EQ(blocks(Collective::gather, "chain?segment=1024", 4097), 30) << "each rank's block in 5 parts";
  EXPECT_EQ(blocks(Collective::alltoall, "segmented_simple", 65537), 18) << "in 3 parts";
  EXPECT_EQ(blocks(Collective::scatter, "sequential?segment=1024", 1025), 12);
}

TEST(Segments, AreWholeBlocksWhereThoseAreSmaller) {
  const auto per_message = [](std::string_view name, std::int64_t bytes) {
    const Situation situation{.collective = Collective::gather, .ranks = 6, .bytes = bytes};
    return candidate_named(Collective::gather, name)->division(situation).per_message;
  };
  EXPECT_EQ(per_message("chain", 8), 0) << "all of a subtree";
  EXPECT_EQ(per_message("chain?segment=1024", 342), 2);
  EXPECT_EQ(per_message("chain?segment=1024", 1024), 1);
  EXPECT_EQ(per_message("chain?segment=1024", 1025), 1) << "parts";
}

TEST(Segments, ArePassedOnWhileTheNextOneComesIn) {
  const auto rounds = [](Collective collective, std::int64_t bytes) {
    const Bound bound = *candidate_named(collective, "chain?segment=1024");
    const Situation situation{.collective = collective, .ranks = 4, .bytes = bytes};
    std::vector<std::pair<std::size_t, std::size_t>> all;
    const Schedule todo = bound.schedule(bound.team(situation, 1));
    for (const Round& round : todo.rounds())
      if (!round.receives().empty() || !round.sends().empty())
        all.emplace_back(round.receives().size(), round.sends().size());
    return all;
  };
  using Rounds = std::vector<std::pair<std::size_t, std::size_t>>;
  EXPECT_EQ(rounds(Collective::gather, 2048), (Rounds{{1, 2}, {1, 1}, {1, 1}, {1, 1}, {0, 1}}));
  EXPECT_EQ(rounds(Collective::scatter, 2048), (Rounds{{3, 0}, {1, 1}, {1, 1}, {1, 1}, {0, 1}}));
  EXPECT_EQ(rounds(Collective::scatter, 1024), (Rounds{{2, 0}, {1, 1}, {0, 1}}));
}

TEST(Subtrees, LeaveOneAfterTheOtherTheLargestFirst) {
  const auto sends = [](Collective collective, std::string_view name) {
    const Bound bound = *candidate_named(collective, name);
    std::vector<std::vector<int>> all;
    const Schedule todo = bound.schedule(bound.team({.collective = collective, .ranks = 8, .bytes = 1024}, 0));
    for (const Round& round : todo.rounds()) {
      if (round.sends().empty() || !round.receives().empty()) continue;
      std::vector<int>& to = all.emplace_back();
      for (const Transfer& send : round.sends())
        if (to.empty() || to.back() != send.peer) to.push_back(send.peer);
    }
    return all;
  };
  using Rounds = std::vector<std::vector<int>>;
  EXPECT_EQ(sends(Collective::scatter, "binomial"), (Rounds{{4}, {2}, {1}}));
  EXPECT_EQ(sends(Collective::bcast, "scatter_allgather"), (Rounds{{4}, {2}, {1}}));
  EXPECT_EQ(sends(Collective::scatter, "sequential"), (Rounds{{1, 2, 3, 4, 5, 6, 7}})) << "leaves";
}

TEST(WorksInPlace, CountsOnlyWhereTheStandardHasAnInPlaceCallForAllRanks) {
  EXPECT_TRUE(candidate_named(Collective::allreduce, "ring")->works_in_place());
  EXPECT_TRUE(candidate_named(Collective::alltoall, "pairwise_replace")->works_in_place());
  EXPECT_FALSE(candidate_named(Collective::alltoall, "ring")->works_in_place());
  EXPECT_FALSE(candidate_named(Collective::alltoallv, "ring")->works_in_place());
  EXPECT_FALSE(candidate_named(Collective::bcast, "chain")->works_in_place());
}

TEST(Groups, AreThoseOfStarMpi) {
  const auto groups = [](Collective collective, const std::vector<std::string>& names) {
    std::vector<std::string> all;
    for (const std::string& name : names) all.push_back(candidate_named(collective, name)->group());
    return all;
  };
  for (const auto& [collective, ring] : {std::pair{Collective::alltoall, std::string("ring")},
                                         std::pair{Collective::allgather, std::string("pairwise")}}) {
    EXPECT_EQ(groups(collective, {"simple", "recursive_doubling", "mesh2d", "mesh3d", "bruck", ring, "pair"}),
              (std::vector<std::string>{"simple", "logarithmic", "logarithmic", "logarithmic", "logarithmic", "ring",
                                        "ring"}));
    EXPECT_EQ(
        groups(collective, {ring + "_light_barrier", "pair_light_barrier", ring + "_mpi_barrier", "pair_mpi_barrier"}),
        (std::vector<std::string>{"light_barrier", "light_barrier", "mpi_barrier", "mpi_barrier"}));
  }
  EXPECT_EQ(groups(Collective::allgather, {"switch_ring", "ring"}),
            (std::vector<std::string>{"switch_ring", "logical_ring"}))
      << "MPICH's ring goes to neighbours only, the paper's does not";
  EXPECT_EQ(
      groups(Collective::allreduce, {"gather_reduce", "rab1?allgather=simple", "rab1?allgather=pairwise_light_barrier",
                                     "rab2?alltoall=ring", "rab2?alltoall=ring_mpi_barrier"}),
      (std::vector<std::string>{"gather_reduce", "rab1", "rab1", "rab2", "rab2"}))
      << "its parts' synchronisations do not count";
}

TEST(Groups, TellSegmentsFromWholeMessages) {
  const auto group = [](Collective collective, const char* name) { return candidate_named(collective, name)->group(); };
  EXPECT_EQ(group(Collective::bcast, "chain"), "chain");
  EXPECT_EQ(group(Collective::bcast, "chain?segment=1024"), "chain_by_segment");
  EXPECT_EQ(group(Collective::bcast, "chain?segment=4096"), "chain_by_segment");
  EXPECT_EQ(group(Collective::scatter, "chain?segment=1024"), "chain_by_segment");
}

TEST(Rab2, SynchronisesItsAllgatherAsItsAlltoall) {
  const SwitchTree tree({-1}, {0, 0, 0, 0});
  const auto zero_byte_rounds = [&](const char* name) {
    const Team team{.size = 4, .rank = 1, .division = {4}, .tree = &tree};
    const Schedule todo = candidate_named(Collective::allreduce, name)->schedule(team);
    int count = 0;
    for (const Round& round : todo.rounds())
      if (!round.sends().empty() && round.sends().front().blocks.count == 0) ++count;
    return count;
  };
  EXPECT_EQ(zero_byte_rounds("rab2"), 0);
  EXPECT_EQ(zero_byte_rounds("rab2?alltoall=ring_light_barrier"), 4) << "two in each of two rings of three steps";
  EXPECT_EQ(zero_byte_rounds("rab2?alltoall=ring_light_barrier,allgather=switch_ring"), 2);
}

TEST(ReductionOrder, NamesTheValueOfAParameterThatReorders) {
  const auto order = [](const char* name) { return candidate_named(Collective::allreduce, name)->reduction_order(); };
  EXPECT_EQ(order("recursive_multiplying?k=4"), "recursive_multiplying k=4");
  EXPECT_EQ(order("rab1?allgather=ring"), order("rab1?allgather=bruck"));
  EXPECT_EQ(order("tree?k=2,segment=8192"), order("reduce_bcast")) << "a binomial tree both";
}

TEST(Refusal, SaysWhatThereIsNoMeshFor) {
  const auto refusal = [](Collective collective, const char* name, int ranks, std::int64_t bytes) {
    return candidate_named(collective, name)->refusal({.collective = collective, .ranks = ranks, .bytes = bytes});
  };
  EXPECT_EQ(refusal(Collective::allgather, "mesh2d", 13, 8), "needs a number of ranks that is a product of two");
  EXPECT_EQ(refusal(Collective::alltoall, "mesh3d", 14, 8),
            "allgather:mesh3d needs a number of ranks that is a product of three");
  EXPECT_EQ(refusal(Collective::alltoall, "mesh2d", 64, 256), "");
  EXPECT_EQ(refusal(Collective::alltoall, "mesh2d", 64, 1 << 20), "would gather more than 256 MiB on every rank");
  EXPECT_EQ(refusal(Collective::allgather, "neighbor_exchange", 7, 8), "needs an even number of ranks");
  EXPECT_EQ(refusal(Collective::alltoall, "linear_window?window=8", 9, 8),
            "would post all messages at once, as simple does");
}

/// STAR-MPI, section 3.1: "similar to their all-to-all counterparts".
TEST(PaperRing, GoesFromAndToTheSameRanksInAllgatherAsInAlltoall) {
  for (const char* synchronisation : {"", "_light_barrier", "_mpi_barrier"}) {
    const auto peers = [&](Collective collective, const std::string& name) {
      const Bound bound = *candidate_named(collective, name + synchronisation);
      const Schedule todo = bound.schedule({.size = 6, .rank = 4, .division = {6}});
      std::vector<std::pair<int, bool>> all;
      for (const Round& round : todo.rounds()) {
        for (const Transfer& one : round.receives()) all.emplace_back(one.peer, false);
        for (const Transfer& one : round.sends()) all.emplace_back(one.peer, true);
      }
      return all;
    };
    EXPECT_EQ(peers(Collective::allgather, "pairwise"), peers(Collective::alltoall, "ring")) << synchronisation;
    EXPECT_NE(peers(Collective::allgather, "ring"), peers(Collective::alltoall, "ring")) << synchronisation;
  }
}

TEST(PaperAllreduce, HasAllTwentyOfStarMpi) {
  int found = 0;
  const auto count = [&](const std::string& name) { found += candidate_named(Collective::allreduce, name) ? 1 : 0; };
  for (const char* gather : {"bruck", "mesh2d", "mesh3d", "recursive_doubling", "pairwise"})
    count(std::string("gather_reduce?allgather=") + gather);
  for (const char* gather : {"simple", "mesh2d", "mesh3d", "recursive_doubling", "bruck", "pairwise",
                             "pairwise_light_barrier", "pairwise_mpi_barrier", "switch_ring"})
    count(std::string("rab1?allgather=") + gather);
  for (const char* exchange : {"ring", "ring_light_barrier", "ring_mpi_barrier"})
    for (const char* gather : {"pairwise", "switch_ring"})
      count(std::string("rab2?alltoall=") + exchange + ",allgather=" + gather);
  EXPECT_EQ(found, 20);
}

}  // namespace
}  // namespace starling
