#include "knowledge/names.hpp"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "algorithms/candidate.hpp"
#include "ways/way.hpp"

namespace starling {
namespace {

std::vector<Complaint> complaints_of(const Settings& settings) {
  std::vector<Complaint> complaints;
  check_names(settings, complaints);
  return complaints;
}

Complaint only_complaint(const Settings& settings) {
  const std::vector<Complaint> complaints = complaints_of(settings);
  EXPECT_EQ(complaints.size(), 1U);
  return complaints.empty() ? Complaint{} : complaints.front();
}

TEST(Names, OfTheRepositoryAreKnown) {
  for (const Bound& bound : candidates(Collective::allreduce)) {
    EXPECT_TRUE(complaints_of({.strategy = "forced:allreduce:" + bound.name()}).empty()) << bound.name();
    EXPECT_TRUE(complaints_of({.only = {"allreduce:" + bound.name()}, .except = {bound.algorithm_name()}}).empty());
  }
  EXPECT_TRUE(complaints_of({.strategy = "forced:native", .only = {"bcast"}, .except = {"native"}}).empty());
}

TEST(Names, OfTheLibrarysSetsForPatternsAreKnown) {
  for (const char* set : {"neighborhood:", "shift_ltor:", "shift_rtol:", ""})
    EXPECT_TRUE(complaints_of({.strategy = std::string("forced:") + set + "PostStartGet_pair"}).empty()) << set;
  EXPECT_TRUE(complaints_of({.strategy = "forced:iallgather:ring,neighborhood:native"}).empty());
  EXPECT_TRUE(complaints_of({.only = {"neighborhood", "ibcast"}, .except = {"neighborhood:Sendrecv_pair"}}).empty());
  const std::string why = only_complaint({.strategy = "forced:neighborhood:Sendrecv"}).why;
  EXPECT_TRUE(why.starts_with("neighborhood has no implementation 'Sendrecv'; there are: IsendIrecv_aao, ")) << why;
  EXPECT_TRUE(
      only_complaint({.except = {"iallgather:rign"}}).why.starts_with("no algorithm allgather:rign; there are"));
  EXPECT_EQ(only_complaint({.only = {"ineighbor_alltoall"}}).why,
            "there is no collective or algorithm 'ineighbor_alltoall'; did you mean neighbor_alltoall?");
}

TEST(Names, OfSetsOfTheProgramsOwnAreKnownOnlyAtTheEnd) {
  const Settings settings{.strategy = "forced:ring.pattern:fast,other.pattern:a,bcast:chain",
                          .only = {"ring.pattern", "gone.pattern", "allreduce"},
                          .except = {"gone.pattern:slow"}};
  EXPECT_TRUE(complaints_of(settings).empty());
  const auto told = sets_that_were_not_there(settings, [](std::string_view set) { return set == "ring"; });
  EXPECT_EQ(told, (std::vector<std::string>{"STARLING_ONLY: the program used no function set 'gone'",
                                            "STARLING_EXCEPT: the program used no function set 'gone'",
                                            "STARLING_STRATEGY: the program used no function set 'other'"}));
  EXPECT_TRUE(sets_that_were_not_there({.strategy = "auto"}, [](std::string_view) { return false; }).empty());
}

TEST(Names, ThatMeanNothingAreToldWithTheirVariable) {
  EXPECT_EQ(only_complaint({.only = {"nosuch"}}).text(),
            "STARLING_ONLY='nosuch': there is no collective or algorithm 'nosuch'; see starling algorithms");
  EXPECT_EQ(
      only_complaint({.except = {"bcast", "telepathy:chain"}}).text(),
      "STARLING_EXCEPT='telepathy:chain': there is no collective 'telepathy'; see starling algorithms; a function set "
      "of the program's own is telepathy.pattern:chain");
  EXPECT_TRUE(only_complaint({.except = {"bcast:chian"}}).why.starts_with("no algorithm bcast:chian; there are: "));
  for (int i = 0; i < collective_count; ++i) {
    const auto collective = static_cast<Collective>(i);
    const std::string why = why_unknown(collective, "rung") + ",";
    for (const auto all = ways(collective, 12); const Way& way : *all)
      EXPECT_NE(why.find(" " + way.algorithm_name().text() + ","), std::string::npos) << why << way.name();
  }
  EXPECT_EQ(only_complaint({.strategy = "forced:telepathy"}).why, "no collective has an algorithm 'telepathy'");
}

TEST(Names, ThatAreMistypedAreToldWithTheOneThatWasMeant) {
  for (const auto& [typed, meant] :
       {std::pair("allgahter", "allgather"), {"Allgather", "allgather"}, {"ALLREDUCE", "allreduce"}, {"rnig", "ring"}})
    EXPECT_EQ(only_complaint({.only = {typed}}).why,
              std::string("there is no collective or algorithm '") + typed + "'; did you mean " + meant + "?");
  EXPECT_EQ(only_complaint({.except = {"cast:chain"}}).why, "there is no collective 'cast'; did you mean bcast?");
  EXPECT_EQ(only_complaint({.strategy = "forced:cast:chain"}).why,
            "there is no collective 'cast'; did you mean bcast?");
  EXPECT_TRUE(only_complaint({.strategy = "forced:rnig:chain"})
                  .why.starts_with("there is no collective 'rnig'; see starling algorithms; "));
}

TEST(Names, OfParametersAreToldWithThoseThatThereAre) {
  for (const char* strategy : {"forced:allreduce:rab1?frob=3", "forced:rab1?frob=3"}) {
    const Complaint complaint = only_complaint({.strategy = strategy});
    EXPECT_EQ(complaint.value, strategy);
    EXPECT_TRUE(complaint.why.starts_with("allreduce:rab1 has no parameter 'frob'; it has allgather ("))
        << complaint.why;
  }
  EXPECT_EQ(only_complaint({.strategy = "forced:allgather:ring?radix=3"}).why,
            "allgather:ring has no parameter 'radix'; it has none");
  EXPECT_EQ(only_complaint({.strategy = "forced:bcast:groups?mesh=12"}).why,
            "bcast:groups cannot have 'mesh=12'; it has mesh (square, cube, or like 3x4)");
  const Complaint complaint = only_complaint({.strategy = "forced:bcast:chain?segment=small"});
  EXPECT_TRUE(complaint.why.starts_with("bcast:chain cannot have 'segment=small'; it has segment (none, "));
  EXPECT_TRUE(complaint.why.ends_with(", or another number from 1)")) << complaint.why;
}

TEST(Names, OfAStrategyThatIsRefusedAreNotLookedAt) {
  EXPECT_TRUE(complaints_of({.strategy = "forced:"}).empty()) << "that is for settings_from to say";
  EXPECT_TRUE(complaints_of({.strategy = "bogus"}).empty());
}

}  // namespace
}  // namespace starling
