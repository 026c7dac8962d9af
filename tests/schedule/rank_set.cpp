#include "schedule/rank_set.hpp"

#include <gtest/gtest.h>

#include <stdexcept>
#include <thread>
#include <vector>

namespace starling {
namespace {

std::vector<int> ranks_of(const RankSet& set) {
  std::vector<int> all;
  for (int i = 0; i < set.size(); ++i) all.push_back(set.rank(i));
  return all;
}

TEST(RankSet, KeepsAnyRanksInTheirOrder) {
  const std::vector<int> any{7, 2, 11, 3};
  const RankSet set = RankSet::of(any);
  EXPECT_EQ(ranks_of(set), any);
  EXPECT_EQ(set.index_of(11), 2);
  EXPECT_EQ(set.index_of(4), -1);
  EXPECT_TRUE(set.contains(3));
  EXPECT_FALSE(set.contains(12));
}

TEST(RankSet, MakesRegularShapes) {
  EXPECT_EQ(ranks_of(RankSet::consecutive(3, 3)), (std::vector<int>{3, 4, 5}));
  EXPECT_EQ(ranks_of(RankSet::every(3, 1, 3)), (std::vector<int>{1, 4, 7}));
  EXPECT_EQ(ranks_of(RankSet::every(-2, 5, 3)), (std::vector<int>{5, 3, 1}));
  EXPECT_EQ(ranks_of(RankSet::row(1, 4)), (std::vector<int>{4, 5, 6, 7}));
  EXPECT_EQ(ranks_of(RankSet::column(1, 3, 4)), (std::vector<int>{1, 5, 9}));
  EXPECT_TRUE(RankSet::consecutive(3, 0).empty());
}

TEST(RankSet, ContainsItsMembersOnly) {
  const RankSet set = RankSet::every(3, 1, 3);
  EXPECT_EQ(set.index_of(7), 2);
  EXPECT_TRUE(set.contains(4));
  for (const int other : {-2, 0, 5, 10}) EXPECT_FALSE(set.contains(other)) << other;
  EXPECT_EQ(RankSet::every(-2, 5, 3).index_of(1), 2);
  EXPECT_FALSE(RankSet::every(-2, 5, 3).contains(7));
  EXPECT_FALSE(RankSet().contains(0));
}

TEST(RankSet, IsOneObjectHoweverItWasMade) {
  const std::vector<int> evenly{2, 4, 6};
  EXPECT_EQ(RankSet::of(evenly), RankSet::every(2, 2, 3));
  EXPECT_EQ(RankSet::every(5, 2, 1), RankSet::consecutive(2, 1));
  const std::vector<int> any{2, 4, 5};
  const std::vector<int> turned{2, 5, 4};
  EXPECT_EQ(RankSet::of(any), RankSet::of(any));
  EXPECT_NE(RankSet::of(any), RankSet::of(turned)) << "the order counts";
}

TEST(RankSet, RefusesARankThatIsNamedTwice) {
  EXPECT_THROW(RankSet::of(std::vector<int>{1, 3, 1}), std::invalid_argument);
  EXPECT_THROW(RankSet::of(std::vector<int>{1, 1}), std::invalid_argument);
  EXPECT_THROW(RankSet::every(0, 1, 2), std::invalid_argument);
}

TEST(RankSet, ChoosesItsRanksByPlace) {
  const RankSet column = RankSet::every(4, 2, 3);
  EXPECT_EQ(column.at(RankSet::every(2, 0, 2)), RankSet::every(8, 2, 2));
  const RankSet any = RankSet::of(std::vector<int>{7, 2, 11, 3});
  EXPECT_EQ(ranks_of(any.at(RankSet::consecutive(1, 2))), (std::vector<int>{2, 11}));
  EXPECT_EQ(ranks_of(column.at(RankSet::of(std::vector<int>{2, 0, 1}))), (std::vector<int>{10, 2, 6}));
  EXPECT_THROW(column.at(RankSet::consecutive(2, 2)), std::out_of_range);
  EXPECT_THROW(any.at(RankSet::every(4, 0, 2)), std::out_of_range);
  EXPECT_THROW(RankSet().at(RankSet::consecutive(0, 1)), std::out_of_range);
  EXPECT_EQ(RankSet::everyone().at(column), column);
}

TEST(RankSet, KnowsWhetherAllItsRanksExist) {
  EXPECT_TRUE(RankSet::every(-2, 5, 3).within(6));
  EXPECT_FALSE(RankSet::every(-2, 5, 3).within(5));
  EXPECT_FALSE(RankSet::every(-2, 3, 3).within(6)) << "-1";
  EXPECT_TRUE(RankSet::of(std::vector<int>{7, 2, 3}).within(8));
  EXPECT_FALSE(RankSet::of(std::vector<int>{7, 2, 3}).within(7));
}

TEST(RankSet, IsKeptOnlyWhileSomebodyUsesIt) {
  const std::size_t before = RankSet::in_use();
  {
    const RankSet one = RankSet::of(std::vector<int>{1000, 3, 17});
    RankSet other = one;
    EXPECT_EQ(RankSet::in_use(), before + 1);
    other = RankSet::every(1001, 5, 7);
    EXPECT_EQ(RankSet::in_use(), before + 2);
    other = RankSet();
    EXPECT_EQ(RankSet::in_use(), before + 1);
  }
  EXPECT_EQ(RankSet::in_use(), before);
}

TEST(RankSet, MayBeMadeAndGivenUpByManyThreadsAtOnce) {
  const std::size_t before = RankSet::in_use();
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i)
    threads.emplace_back([] {
      for (int turn = 0; turn < 2000; ++turn) {
        const RankSet set = RankSet::of(std::vector<int>{turn % 3, 100, 7});
        const RankSet copy = set;
        ASSERT_EQ(copy.index_of(100), 1);
      }
    });
  for (std::thread& one : threads) one.join();
  EXPECT_EQ(RankSet::in_use(), before);
}

}  // namespace
}  // namespace starling
