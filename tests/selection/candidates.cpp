#include "selection/candidates.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace starling {
namespace {

Candidate candidate(const std::string& name, const std::string& group, const std::string& refusal = "") {
  Candidate one;
  one.name = name;
  one.group = group;
  one.refusal = refusal;
  return one;
}

Candidates four() {
  return {candidate("native", "native"), candidate("chain", "chain", "too few ranks"),
          candidate("chain?segment=8192", "chain"), candidate("ring", "ring")};
}

TEST(Candidates, CopiesHaveTheListAndItsSummaryInCommon) {
  const Candidates one = four();
  (void)one.summary();
  const Candidates other = one;  // NOLINT(performance-unnecessary-copy-initialization): the copy is what is tested
  EXPECT_EQ(one.begin(), other.begin());
  EXPECT_EQ(&one.summary(), &other.summary());
}

TEST(Candidates, AChangeIsSeenInOneCopyOnly) {
  const Candidates one = four();
  Candidates other = one;
  other.own()[3].refusal = "left out";
  EXPECT_TRUE(one[3].eligible());
  EXPECT_FALSE(other[3].eligible());
  EXPECT_TRUE(one.summary().eligible[3]);
  EXPECT_FALSE(other.summary().eligible[3]);
}

TEST(Candidates, AChangeAfterASummaryIsInTheNextOne) {
  Candidates all = four();
  EXPECT_TRUE(all.summary().any_other);
  EXPECT_FALSE(all.summary().any_earlier);
  for (std::size_t i = 1; i < all.size(); ++i) all.own()[i].refusal = "left out";
  all.own()[0].earlier = Earlier{1e-3, 5};
  EXPECT_FALSE(all.summary().any_other) << "native is no other";
  EXPECT_TRUE(all.summary().any_earlier);
}

TEST(Candidates, EarlierRunsChangeNothingElse) {
  const Candidates one = four();
  Candidates told = one;
  const std::vector<std::optional<Earlier>> earlier{Earlier{1e-3, 5}, std::nullopt, Earlier{2e-3, 5}, std::nullopt};
  told.tell_of_earlier_runs(earlier, [](std::size_t i) { return 0.5 * static_cast<double>(i); });
  EXPECT_FALSE(one[0].earlier);
  EXPECT_FALSE(one.summary().any_earlier);
  EXPECT_TRUE(told.summary().any_earlier);
  EXPECT_EQ(told[2].earlier->seconds, 2e-3);
  EXPECT_EQ(told[2].setup_seconds, 1);
  EXPECT_EQ(told[3].setup_seconds, 0) << "nothing is known of it";
  EXPECT_EQ(told.summary().names, one.summary().names);
  EXPECT_EQ(told.summary().eligible, one.summary().eligible);
}

TEST(Candidates, EqualListsKeepNamesAndRefusalsOnce) {
  const Candidates one = four();
  const Candidates other = four();
  EXPECT_EQ(one.summary().names, other.summary().names);
  EXPECT_EQ(one.summary().refusals, other.summary().refusals);
  EXPECT_EQ(one.summary().groups, other.summary().groups);
}

TEST(GroupNumbers, AreInOrderOfAppearance) {
  const GroupNumbers groups(std::vector<Interned>{"native", "a", "b", "a"});
  EXPECT_EQ(groups.of, (std::vector<std::uint8_t>{0, 1, 2, 1}));
  EXPECT_EQ(groups.number, 3);
}

TEST(GroupNumbers, TheLastStandsForAllThatComeAfterIt) {
  std::vector<Interned> names;
  for (int i = 0; i < 300; ++i) names.emplace_back(std::to_string(i));
  const GroupNumbers groups(names);
  EXPECT_EQ(groups.number, 256);
  EXPECT_EQ(groups.of[254], 254);
  EXPECT_EQ(groups.of[255], 255);
  EXPECT_EQ(groups.of[299], 255);
}

}  // namespace
}  // namespace starling
