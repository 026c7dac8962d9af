#include "tuning/arrivals.hpp"

#include <gtest/gtest.h>

#include <string>

#include "tuning/ranks.hpp"

namespace starling {
namespace {

using testing::brief_of;
using testing::run_ranks;

constexpr int all_ranks = 3;
constexpr int late = 1;
constexpr double transfer = 1e-3;
constexpr double pause = 10e-3;

Brief brief(bool synchronises) {
  Brief brief = brief_of(3);
  brief.synchronises = synchronises;
  brief.settings.iterations = 4;
  return brief;
}

/// What rank 0 records of calls in each of which one rank comes late: always the same, or each in turn. The others
/// wait for it.
std::optional<ArrivalsRecord> recorded(const std::string& strategy, const Brief& brief, bool in_turn) {
  const auto tuners = run_ranks(all_ranks, strategy, brief, [&](int rank, Tuner& tuner, Consensus& consensus) {
    for (int i = 0; i < 100; ++i) {
      const Tuner::Turn turn = tuner.begin();
      tuner.end(turn, transfer + (rank == (in_turn ? i % all_ranks : late) ? 0 : pause), 0);
      if (tuner.is_due()) tuner.agree(consensus, SampleReduction::mean);
    }
  });
  ContextRecord record;
  tuners.front()->fill_in(record, {});
  return record.arrivals;
}

class Learning : public ::testing::TestWithParam<std::string> {};

TEST_P(Learning, TellsWaitingFromTransfer) {
  for (const bool in_turn : {false, true}) {
    const auto arrivals = recorded(GetParam(), brief(true), in_turn);
    ASSERT_TRUE(arrivals);
    EXPECT_GT(arrivals->calls, 0);
    EXPECT_NEAR(arrivals->fastest_s, transfer, 1e-9);
    EXPECT_NEAR(arrivals->slowest_s, transfer + pause, 1e-9);
    EXPECT_NEAR(arrivals->mean_s, transfer + (pause * (all_ranks - 1) / all_ranks), 1e-9);
  }
}

TEST_P(Learning, NamesTheRankThatComesLast) {
  constexpr int in_world = 100 + late;
  const auto always = recorded(GetParam(), brief(true), false);
  ASSERT_TRUE(always);
  ASSERT_EQ(always->last.size(), 1U);
  EXPECT_EQ(always->last[0].rank, in_world);
  EXPECT_LE(always->last[0].calls, always->calls);
  const auto in_turn = recorded(GetParam(), brief(true), true);
  ASSERT_TRUE(in_turn);
  EXPECT_GT(in_turn->last.size(), 1U);
}

TEST_P(Learning, SaysNothingWhereARankMayEndBeforeOthersBegin) {
  EXPECT_FALSE(recorded(GetParam(), brief(false), false));
}

INSTANTIATE_TEST_SUITE_P(Strategies, Learning, ::testing::ValuesIn(testing::learners()),
                         [](const auto& one) { return testing::test_name(one.param); });

TEST(Arrivals, NothingIsTriedWhereOnlyNativeIsLeft) {
  Brief only = brief(true);
  for (std::size_t i = 1; i < only.candidates.size(); ++i) only.candidates.own()[i].refusal = "needs more";
  EXPECT_FALSE(recorded("auto", only, false));
}

}  // namespace
}  // namespace starling
