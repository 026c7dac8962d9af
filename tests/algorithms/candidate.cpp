#include "algorithms/candidate.hpp"

#include <gtest/gtest.h>

#include <stdexcept>

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

TEST(Parameters, ThrowForANameThatIsNotBound) {
  const Parameters none;
  EXPECT_THROW((void)none.text("segment"), std::out_of_range);
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
  EXPECT_EQ(refusal(Collective::allgather, "groups2d?rows=3", {.ranks = 8, .bytes = 8}),
            "needs a number of ranks that 3 divides");
  EXPECT_EQ(refusal(Collective::allgather, "groups2d?rows=3", {.ranks = 3, .bytes = 8}),
            "needs rows of at least 2 ranks");
  EXPECT_EQ(refusal(Collective::allgather, "groups2d?rows=3", {.ranks = 6, .bytes = 8}), "");
  EXPECT_EQ(refusal(Collective::alltoall, "bruck?k=1", {.ranks = 6, .bytes = 8}), "needs a radix of at least 2");
  EXPECT_EQ(refusal(Collective::allreduce, "rab1?allgather=recursive_doubling", {.ranks = 6, .bytes = 8}),
            "allgatherv:recursive_doubling needs a power of two of ranks");
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
}

TEST(WorksInPlace, CountsOnlyWhereTheStandardHasAnInPlaceCallForAllRanks) {
  EXPECT_TRUE(candidate_named(Collective::allreduce, "ring")->works_in_place());
  EXPECT_FALSE(candidate_named(Collective::alltoall, "ring")->works_in_place());
  EXPECT_FALSE(candidate_named(Collective::bcast, "chain")->works_in_place());
}

TEST(Part, IsTheScheduleOfARegisteredCandidate) {
  EXPECT_EQ(part(Collective::allgather, "ring", {.size = 4, .rank = 1, .blocks = 4}).rounds().size(), 4U);
  EXPECT_THROW((void)part(Collective::allgather, "no such", {.size = 4, .rank = 1, .blocks = 4}), std::out_of_range);
}

}  // namespace
}  // namespace starling
