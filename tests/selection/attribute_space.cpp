#include "selection/attribute_space.hpp"

#include <gtest/gtest.h>

#include "halo_set.hpp"

namespace starling::testing {
namespace {

TEST(AttributeSpace, HasTheAttributesInWhichCandidatesDiffer) {
  Brief brief = halo_set();
  for (Candidate& candidate : brief.candidates.own()) candidate.attributes.emplace_back("language", "C");
  const AttributeSpace space(brief.candidates);
  ASSERT_EQ(space.attributes(), 3);
  EXPECT_EQ(space.values(0), 2);
  EXPECT_EQ(space.values(1), 2);
  EXPECT_EQ(space.values(2), 8);
  EXPECT_EQ(space.in_words(0, space.value(1, 0)), "partners=pair");
}

TEST(AttributeSpace, KnowsWhoDiffersInOneAttributeOnly) {
  const Brief brief = halo_set();
  const AttributeSpace space(brief.candidates);
  for (const AttributeSpace::Pair& pair : space.pairs()) {
    int differences = 0;
    for (int i = 0; i < 3; ++i)
      if (space.value(pair.one, i) != space.value(pair.other, i)) ++differences;
    EXPECT_EQ(differences, 1);
    EXPECT_NE(space.value(pair.one, pair.attribute), space.value(pair.other, pair.attribute));
  }
  // Partners: 2 transfers x 2 + 4 one-sided. Data: 2 + 4. Transfers: 6, 8, 2 and 4 that share the others.
  EXPECT_EQ(space.pairs().size(), 8U + 6U + 15U + 28U + 1U + 6U);
}

TEST(AttributeSpace, LeavesOutWhoCannotServe) {
  Brief brief = halo_set();
  for (std::size_t i = 0; i < 20; ++i)
    if (value_of(brief.candidates[i], "data") == "pack") brief.candidates.own()[i].refusal = "cannot be";
  const AttributeSpace space(brief.candidates);
  EXPECT_EQ(space.attributes(), 2);
  EXPECT_EQ(space.members().size(), 14U);
}

TEST(AttributeSpace, MissingAttributesAreAValue) {
  Brief brief = brief_of(3);
  brief.candidates.own()[1].attributes = {{"segment", "8192"}};
  brief.candidates.own()[2].attributes = {{"segment", "1024"}};
  const AttributeSpace space(brief.candidates);
  EXPECT_EQ(space.in_words(0, space.value(0, 0)), "segment=none");
  EXPECT_EQ(space.pairs().size(), 3U);
}

TEST(AttributeSpace, OrdersNumbersBySizeAndWordsAsTheyCome) {
  Brief brief = brief_of(3);
  const char* const segments[] = {"8192", "1024", "65536"};
  const char* const orders[] = {"near", "apart", "far"};
  for (std::size_t i = 0; i < 3; ++i)
    brief.candidates.own()[i].attributes = {{"segment", segments[i]}, {"order", orders[i]}};
  const AttributeSpace space(brief.candidates);
  EXPECT_EQ(space.in_words(0, space.lowest(0)), "segment=1024");
  EXPECT_EQ(space.in_words(0, space.highest(0)), "segment=65536");
  EXPECT_EQ(space.in_words(1, space.lowest(1)), "order=near");
  EXPECT_EQ(space.in_words(1, space.highest(1)), "order=far");
}

}  // namespace
}  // namespace starling::testing
