#include <algorithm>
#include <random>

#include "lockstep.hpp"

namespace starling::testing {
namespace {

constexpr double us = 1e-6;

/// Reproduces a failure: the seed is printed with it.
struct Random {
  unsigned seed = std::random_device{}();
  std::mt19937 generator{seed};
  double between(double low, double high) { return std::uniform_real_distribution<double>(low, high)(generator); }
};

TEST(StarBasicOnManyRanks, StaysInStepWhateverEachRankMeasures) {
  for (int repetition = 0; repetition < 30; ++repetition) {
    Random random;
    SCOPED_TRACE("seed " + std::to_string(random.seed));
    Brief brief = brief_of(2 + static_cast<int>(random.generator() % 8));
    brief.settings.iterations = 1 + static_cast<int>(random.generator() % 12);
    brief.settings.delta_limit = 2 + static_cast<int>(random.generator() % 8);
    Lockstep ranks("star-basic", brief, 7, [&](int, int, int) { return random.between(1, 100) * us; });
    ranks.call(2000);
    EXPECT_EQ(ranks.made().size(), 2000U);
    EXPECT_GT(ranks.exchanges().size(), 2U);
  }
}

TEST(StarBasicOnManyRanks, StaysInStepThroughSwitches) {
  Random random;
  SCOPED_TRACE("seed " + std::to_string(random.seed));
  Brief brief = brief_of(6);
  brief.settings.delta_limit = 2;
  // A network that changes for each candidate at its own time.
  Lockstep ranks("star-basic", brief, 5, [&](int rank, int candidate, int call) {
    const double burden = (call / 500) % 6 == candidate ? 8 : 1;
    return (10 + candidate + rank) * burden * random.between(0.98, 1.02) * us;
  });
  ranks.call(6000);
  EXPECT_GT(ranks.strategy().decisions().size(), 2U);
}

TEST(StarBasicOnManyRanks, ChoosesTheFastestWhenOneRankArrivesTenTimesLate) {
  for (int repetition = 0; repetition < 20; ++repetition) {
    Random random;
    SCOPED_TRACE("seed " + std::to_string(random.seed));
    const int ranks_count = 8;
    const int late = static_cast<int>(random.generator() % ranks_count);
    const int fastest = 1 + static_cast<int>(random.generator() % 5);
    // All others wait for the late rank, 10 times as long as native takes; it itself does not.
    Lockstep ranks("star-basic", brief_of(6), ranks_count, [&](int rank, int candidate, int) {
      const double own = (candidate == fastest ? 7 : 10 + 2 * candidate) * us;
      const double wait = rank == late ? 0 : 100 * us;
      return own * random.between(0.95, 1.05) + wait * random.between(0.995, 1.005);
    });
    ranks.call(60);
    EXPECT_EQ(ranks.proposed(), fastest);
    ranks.call(2000);
    EXPECT_EQ(ranks.proposed(), fastest);
  }
}

TEST(StarBasicOnManyRanks, LeavesACandidateThatDegradesAndSettles) {
  Lockstep ranks("star-basic", brief_of(4), 4, [](int, int candidate, int call) {
    return (candidate == 2 ? (call < 1000 ? 5 : 50) : 10 + candidate) * us;
  });
  ranks.call(1000);
  ASSERT_EQ(ranks.proposed(), 2);
  ranks.call(9000);
  EXPECT_EQ(ranks.proposed(), 0);
  EXPECT_EQ(ranks.strategy().decisions().size(), 2U);
}

}  // namespace
}  // namespace starling::testing
