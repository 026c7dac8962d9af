#include "selection/forced_list.hpp"

#include <gtest/gtest.h>

#include "selection/strategy.hpp"

namespace starling::testing {
namespace {

using Items = std::vector<ForcedItem>;

/// allreduce has ring, rab1; bcast has chain, with parameters or without; both have native.
const ForcedNames known_names{
    .is_collective = [](std::string_view collective) { return collective == "allreduce" || collective == "bcast"; },
    .has_candidate =
        [](std::string_view collective, std::string_view candidate) {
          if (candidate == "native") return true;
          if (collective == "allreduce") return candidate == "ring" || candidate == "rab1";
          return candidate.substr(0, 5) == "chain";
        },
    .is_candidate =
        [](std::string_view candidate) {
          return candidate == "native" || candidate == "ring" || candidate == "rab1" ||
                 candidate.substr(0, 5) == "chain";
        },
};

TEST(ForcedList, SplitsAtCommas) {
  EXPECT_EQ(parse_forced("ring"), (Items{{std::nullopt, "ring"}}));
  EXPECT_EQ(parse_forced("allreduce:ring,pair,bcast:chain"),
            (Items{{"allreduce", "ring"}, {std::nullopt, "pair"}, {"bcast", "chain"}}));
}

TEST(ForcedList, KeepsTheCommasBetweenParameters) {
  EXPECT_EQ(parse_forced("allreduce:rab2?alltoall=ring,allgather=switch_ring,bcast:chain?segment=8192"),
            (Items{{"allreduce", "rab2?alltoall=ring,allgather=switch_ring"}, {"bcast", "chain?segment=8192"}}));
}

TEST(ForcedList, KeepsTheParametersOfParts) {
  const Items one{{"bcast", "two_level?inner=native+chain:segment=8192,outer=knomial:k=8:segment=none"}};
  EXPECT_EQ(parse_forced("bcast:two_level?inner=native+chain:segment=8192,outer=knomial:k=8:segment=none"), one);
  EXPECT_EQ(forced_syntax_error(one.front().text()), "");
  EXPECT_NE(forced_syntax_error("bcast:two_level?inner=+chain"), "");
  EXPECT_NE(forced_syntax_error("bcast:two_level?inner=chain:"), "");
}

TEST(ForcedList, StartsAnItemWhereAPieceHasAQuestionMarkOrNoEqualsSign) {
  EXPECT_EQ(parse_forced("bruck?k=2,bruck?k=4"), (Items{{std::nullopt, "bruck?k=2"}, {std::nullopt, "bruck?k=4"}}));
  EXPECT_EQ(parse_forced("bruck?k=2,ring"), (Items{{std::nullopt, "bruck?k=2"}, {std::nullopt, "ring"}}));
}

TEST(ForcedList, GivesEachItemBackAsItStands) {
  for (const char* text : {"ring", "allreduce:ring", "allreduce:rab2?alltoall=ring,allgather=ring"})
    EXPECT_EQ(parse_forced(text).at(0).text(), text);
}

TEST(ForcedList, FindsNothingWrongWithWellFormedLists) {
  for (const char* list :
       {"ring", "ring_light_barrier", "allreduce:ring,bcast:chain?segment=none", "bruck?k=2,bruck?k=4",
        "allreduce:rab2?alltoall=ring,allgather=ring,native", "allreduce:ring,allreduce_like"})
    EXPECT_EQ(forced_syntax_error(list), "") << list;
}

TEST(ForcedList, NamesTheItemThatIsNotWellFormed) {
  const std::vector<std::pair<std::string, std::string>> bad{
      {"ring,,pair", "'' names no algorithm"},
      {"ring,", "'' names no algorithm"},
      {",ring", "'' names no algorithm"},
      {"allreduce:", "'allreduce:' names no algorithm"},
      {":ring", "':ring' has no collective before its colon"},
      {"a:b:c", "'a:b:c' is not of the form"},
      {"ring pair", "'ring pair' is not of the form"},
      {"ring,segment=8", "'segment=8' is not of the form"},
      {"chain?", "'chain?' has no parameters"},
      {"chain?segment", "'chain?segment' has a parameter that is not of the form"},
      {"chain?segment=", "'chain?segment=' has a parameter that is not of the form"},
      {"chain?=8", "'chain?=8' has a parameter that is not of the form"},
      {"chain?segment=8=9", "'chain?segment=8=9' has a parameter that is not of the form"},
      {"bruck?k=2?k=3", "'bruck?k=2?k=3' has a parameter that is not of the form"},
      {"bruck?k=2,k=3", "'bruck?k=2,k=3' binds 'k' twice"},
      {"bcast:chain,ring,bcast:binomial", "'bcast:binomial' is the second item for bcast"},
  };
  for (const auto& [list, complaint] : bad) {
    const std::string said = forced_syntax_error(list);
    EXPECT_EQ(said.substr(0, complaint.size()), complaint) << list;
  }
  EXPECT_NE(forced_syntax_error("").find("forced:ring"), std::string::npos) << "an example helps";
}

TEST(ForcedList, IsWhatTheStrategyTakesAsItsArgument) {
  const auto forced = strategy_named("forced:allreduce:ring,chain?segment=8192");
  ASSERT_TRUE(forced);
  EXPECT_EQ(forced->second, "allreduce:ring,chain?segment=8192");
  EXPECT_EQ(forced->first->rejects(forced->second), "");
  EXPECT_NE(forced->first->rejects("ring,,"), "");
}

TEST(ForcedList, NamesWhatDoesNotExist) {
  EXPECT_EQ(forced_unknown_name("allreduce:ring,chain?segment=8192,native", known_names), "");
  EXPECT_EQ(forced_unknown_name("ring,swing", known_names), "no collective has an algorithm 'swing'");
  EXPECT_EQ(forced_unknown_name("allreduce:chain", known_names),
            "'allreduce:chain': allreduce has no algorithm 'chain'");
  EXPECT_EQ(forced_unknown_name("allreduc:ring", known_names), "'allreduc:ring': there is no collective 'allreduc'");
}

TEST(ForcedList, PrefersTheItemThatNamesTheCollective) {
  EXPECT_EQ(forced_for("ring,allreduce:rab1", "allreduce", known_names), "rab1");
}

TEST(ForcedList, TakesTheFirstGeneralItemThatTheCollectiveHas) {
  EXPECT_EQ(forced_for("chain?segment=8192,ring,rab1", "allreduce", known_names), "ring");
  EXPECT_EQ(forced_for("chain?segment=8192,ring,rab1", "bcast", known_names), "chain?segment=8192");
}

TEST(ForcedList, SaysNothingAboutOtherCollectives) {
  EXPECT_EQ(forced_for("ring,allreduce:rab1", "bcast", known_names), "");
  EXPECT_EQ(forced_for("allreduce:chain", "bcast", known_names), "");
}

}  // namespace
}  // namespace starling::testing
