// How many sets of ranks are kept for schedules.

#include <gtest/gtest.h>

#include <set>
#include <utility>
#include <vector>

#include "every_candidate.hpp"

namespace starling {
namespace {

TEST(RankSets, AreKeptForTheGroupsOfSchedulesAndNoLongerThanThose) {
  RankSet::everyone();  // kept for ever
  const std::size_t before = RankSet::in_use();
  {
    std::vector<Schedule> kept;
    std::set<std::vector<int>> groups;
    for (const Bound& bound : every_candidate()) {
      for (const int ranks : {8, 12}) {
        const std::vector<Situation> all = situations(bound, ranks);
        if (all.empty()) continue;
        for (Schedule& one : schedules(bound, all.front(), 0)) {
          for (const Round& round : one.rounds()) {
            if (round.sub() == nullptr) continue;
            std::vector<int> group;
            for (int i = 0; i < round.sub()->group.size(); ++i) group.push_back(round.sub()->group.rank(i));
            groups.insert(group);
          }
          kept.push_back(std::move(one));
        }
      }
    }
    EXPECT_GT(groups.size(), 10U);
    EXPECT_GT(RankSet::in_use(), before);
    EXPECT_LE(RankSet::in_use() - before, groups.size());
  }
  EXPECT_EQ(RankSet::in_use(), before);
}

}  // namespace
}  // namespace starling
