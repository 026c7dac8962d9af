#include <algorithm>

#include "lockstep.hpp"

namespace starling::testing {
namespace {

Brief known(int count, const std::vector<int>& which, std::int64_t samples = 10) {
  Brief brief = brief_of(count);
  for (const int i : which)
    brief.candidates.own()[static_cast<std::size_t>(i)].earlier = Earlier{slower_the_later(0, i, 0), samples};
  return brief;
}

TEST(StarFromHistory, UsesTheBestFromTheFirstCallWhereAllIsKnown) {
  for (const char* strategy : {"star-basic", "star"}) {
    SCOPED_TRACE(strategy);
    Brief brief = known(4, {0, 1, 2, 3});
    brief.candidates.own()[2].earlier->seconds = 5e-6;
    Lockstep ranks(strategy, brief, 3, slower_the_later);
    EXPECT_EQ(ranks.proposed(), 2);
    EXPECT_FALSE(ranks.strategy().exploring());
    EXPECT_EQ(ranks.strategy().stage(), "monitor_adapt");
    EXPECT_EQ(ranks.strategy().decisions()[0].why,
              "fastest of 4 candidates at 5.00 us (in earlier runs); then native at 10.0 us");
  }
}

TEST(StarFromHistory, SwitchesWhereKnownTimesNoLongerHold) {
  Brief brief = known(4, {0, 1, 2, 3});
  brief.candidates.own()[3].earlier->seconds = 5e-6;
  Lockstep ranks("star-basic", brief, 3, slower_the_later);
  EXPECT_EQ(ranks.proposed(), 3);
  ranks.call(20);
  EXPECT_EQ(ranks.proposed(), 0);
}

TEST(StarFromHistory, MeasuresOnlyWhatIsNotKnown) {
  Lockstep ranks("star-basic", known(5, {0, 2, 4}), 2, slower_the_later);
  ranks.call(20);
  EXPECT_EQ(std::count(ranks.made().begin(), ranks.made().end(), 1), 10);
  EXPECT_EQ(std::count(ranks.made().begin(), ranks.made().end(), 3), 10);
  EXPECT_EQ(ranks.proposed(), 0);
  EXPECT_EQ(ranks.strategy().stage(), "monitor_adapt");
}

TEST(StarFromHistory, IgnoresTimesOfFewerCallsThanIter) {
  Lockstep ranks("star-basic", known(3, {0, 1, 2}, 9), 2, slower_the_later);
  EXPECT_TRUE(ranks.strategy().exploring());
}

TEST(StarFromHistory, ProbesTheRestOfTheFastestGroupOnly) {
  Brief brief = known(5, {0, 1, 3});
  for (std::size_t i = 0; i < 5; ++i) brief.candidates.own()[i].group = i == 0 ? "native" : i < 3 ? "near" : "far";
  brief.candidates.own()[3].earlier->seconds = 5e-6;
  Lockstep ranks("star", brief, 2, slower_the_later);
  EXPECT_EQ(ranks.strategy().stage(), "probe_group");
  ranks.call(10);
  EXPECT_EQ(std::count(ranks.made().begin(), ranks.made().end(), 4), 10);
  EXPECT_EQ(ranks.proposed(), 3);
}

TEST(StarFromHistory, DoesNotReportTimesOfEarlierRunsAgain) {
  Lockstep ranks("star-basic", known(3, {0, 1, 2}), 2, slower_the_later);
  EXPECT_FALSE(ranks.strategy().found(0));
  ranks.call(20);
  EXPECT_DOUBLE_EQ(ranks.strategy().found(0).value().seconds, 10e-6) << "monitored in this run";
  EXPECT_FALSE(ranks.strategy().found(1));
}

TEST(StarFromHistory, ReportsTimesThatRanksAgreedOn) {
  Lockstep ranks("star-basic", brief_of(3), 2, [](int rank, int candidate, int call) {
    return 1e-6 * (10 + 2 * rank + 10 * candidate + (call % 10 == 0 ? 100 : 0));
  });
  EXPECT_FALSE(ranks.strategy().found(1));
  ranks.call(30);
  EXPECT_DOUBLE_EQ(ranks.strategy().found(1).value().seconds, 21e-6) << "the median iteration of the means over ranks";
  EXPECT_FALSE(ranks.strategy().found(7));
}

}  // namespace
}  // namespace starling::testing
