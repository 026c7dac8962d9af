#include "lockstep.hpp"

namespace starling::testing {
namespace {

using Exchanges = std::vector<Lockstep::Exchange>;

constexpr int calls_each = 10;
/// The best times known after Measure_Select, by candidate: native 12, a1 10, a2 20 us. The winner's threshold is 1.1 x
/// 12 us.
double known(int candidate) {
  switch (candidate) {
    case 0: return 12 * us;
    case 1: return 10 * us;
    default: return 20 * us;
  }
}

double as_known(int /*rank*/, int candidate, int /*call*/) {
  return known(candidate);
}

/// Ranks that have just left Measure_Select of three candidates, 30 calls, with a1 selected.
Lockstep after_measure_select(std::int64_t delta_limit = 1024) {
  Brief brief = brief_of(3);
  brief.settings.iterations = calls_each;
  brief.settings.delta_limit = delta_limit;
  Lockstep ranks("star-basic", brief, 3, as_known);
  ranks.call(30);
  EXPECT_EQ(ranks.proposed(), 1);
  return ranks;
}

/// Where the exchanges after Measure_Select took place.
std::vector<int> monitored(const Lockstep& ranks) {
  std::vector<int> calls;
  for (std::size_t i = 1; i < ranks.exchanges().size(); ++i) {
    EXPECT_EQ(ranks.exchanges()[i].numbers, 2U);
    calls.push_back(ranks.exchanges()[i].call);
  }
  return calls;
}

TEST(MonitorAdapt, DoublesThePeriodWhileTheSelectedPerformsWell) {
  Lockstep ranks = after_measure_select();
  ranks.call(20 + 40 + 80 + 160);
  EXPECT_EQ(monitored(ranks), (std::vector{50, 90, 170, 330}));
  EXPECT_EQ(ranks.proposed(), 1);
  EXPECT_EQ(ranks.strategy().decisions().size(), 1U);
  EXPECT_FALSE(ranks.strategy().exploring());
}

TEST(MonitorAdapt, StopsDoublingAtTheLimit) {
  Lockstep ranks = after_measure_select(4);
  ranks.call(20 + 40 + 40 + 40);
  EXPECT_EQ(monitored(ranks), (std::vector{50, 90, 130, 170}));
}

TEST(MonitorAdapt, ReachesALimitThatIsNoPowerOfTwo) {
  Lockstep ranks = after_measure_select(3);
  ranks.call(20 + 30 + 30);
  EXPECT_EQ(monitored(ranks), (std::vector{50, 80, 110}));
}

TEST(MonitorAdapt, HasAPeriodOfAtLeastTwoTimesIter) {
  Lockstep ranks = after_measure_select(1);
  ranks.call(60);
  EXPECT_EQ(monitored(ranks), (std::vector{50, 70, 90}));
}

TEST(MonitorAdapt, ExchangesTheTotalAndThatOfExactlyTheLastIterCalls) {
  Lockstep ranks = after_measure_select();
  // Each call's time is a power of two or a small multiple, so that any extra or missing call changes the sums.
  ranks.measure([](int, int, int call) { return static_cast<double>(call) * us * 1e-3; });
  ranks.call(20);
  ASSERT_EQ(ranks.agreed().size(), 2U);
  EXPECT_NEAR(ranks.agreed()[0] / us * 1e3, (30 + 49) * 20 / 2.0, 1e-9);
  EXPECT_NEAR(ranks.agreed()[1] / us * 1e3, (40 + 49) * 10 / 2.0, 1e-9);
  ranks.call(40);
  EXPECT_NEAR(ranks.agreed()[0] / us * 1e3, (50 + 89) * 40 / 2.0, 1e-9);
  EXPECT_NEAR(ranks.agreed()[1] / us * 1e3, (80 + 89) * 10 / 2.0, 1e-9);
}

TEST(MonitorAdapt, SwitchesToTheSecondBestWhenAllAndTheLastCallsAreSlow) {
  Lockstep ranks = after_measure_select();
  ranks.call(20);
  ranks.measure([](int, int candidate, int) { return candidate == 1 ? 15 * us : known(candidate); });
  ranks.call(39);
  EXPECT_EQ(ranks.proposed(), 1);
  ranks.call();
  EXPECT_EQ(ranks.proposed(), 0);
  ASSERT_EQ(ranks.strategy().decisions().size(), 2U);
  const Decision& decision = ranks.strategy().decisions().back();
  EXPECT_EQ(decision.call, 90);
  EXPECT_EQ(decision.from, 1);
  EXPECT_EQ(decision.to, 0);
  EXPECT_EQ(decision.why, "a1 slowed to 15.0 us over 40 calls (last 10: 15.0 us); native is at 12.0 us");
  ranks.call(20);
  EXPECT_EQ(monitored(ranks), (std::vector{50, 90, 110})) << "delta is 2 again after a switch";
}

TEST(MonitorAdapt, RecordsTheMeanOfTheReplacedAndSortsAgain) {
  Lockstep ranks = after_measure_select();
  // a1 turns out to take 15 us: now native 12, a1 15, a2 20. Native's threshold is 1.1 x 15 us.
  ranks.measure([](int, int candidate, int) { return candidate == 1 ? 15 * us : known(candidate); });
  ranks.call(20);
  ASSERT_EQ(ranks.proposed(), 0);
  ranks.measure([](int, int, int) { return 16.4 * us; });
  ranks.call(20);
  EXPECT_EQ(ranks.proposed(), 0) << "16.4 us is within 10 % of the 15 us recorded of a1";
  ranks.measure([](int, int, int) { return 16.6 * us; });
  ranks.call(40);
  EXPECT_EQ(ranks.proposed(), 1) << "16.6 us is not";
  // Known times are now native 16.6 us, a2 20: a1's threshold is 1.1 x 16.6 us.
  ranks.measure([](int, int, int) { return 18.2 * us; });
  ranks.call(20);
  EXPECT_EQ(ranks.proposed(), 1);
  ranks.measure([](int, int, int) { return 25 * us; });
  ranks.call(40);
  EXPECT_EQ(ranks.proposed(), 0);
  // a1 25, a2 20: past 22 us native gives way to a2, which was never second best before.
  ranks.measure([](int, int, int) { return 22.1 * us; });
  ranks.call(20);
  EXPECT_EQ(ranks.proposed(), 2);
}

TEST(MonitorAdapt, KeepsTheSelectedButWatchesCloserWhenOnlyTheEarlierCallsWereSlow) {
  Lockstep ranks = after_measure_select();
  ranks.call(20 + 40);
  ASSERT_EQ(monitored(ranks), (std::vector{50, 90}));
  // A disturbance early in the period of 80 calls, 90 to 170: its mean is past the threshold, the last 10 calls are
  // fine.
  ranks.measure([](int, int candidate, int call) { return call < 100 ? 100 * us : known(candidate); });
  ranks.call(80);
  EXPECT_EQ(ranks.proposed(), 1);
  EXPECT_EQ(ranks.strategy().decisions().size(), 1U);
  ranks.call(20 + 40);
  EXPECT_EQ(monitored(ranks), (std::vector{50, 90, 170, 190, 230})) << "delta is 2 after the disturbance, then doubles";
}

TEST(MonitorAdapt, DoublesThePeriodWhenTheLastCallsAreSlowButTheMeanIsFine) {
  Lockstep ranks = after_measure_select();
  ranks.call(20 + 40);
  // The last 10 of 80 calls take 20 us: the mean is 11.25 us, below 13.2.
  ranks.measure([](int, int candidate, int call) { return call >= 160 ? 20 * us : known(candidate); });
  ranks.call(80);
  ranks.measure(as_known);
  ranks.call(160);
  EXPECT_EQ(monitored(ranks), (std::vector{50, 90, 170, 330}));
  EXPECT_EQ(ranks.proposed(), 1);
}

TEST(MonitorAdapt, TakesTheThresholdItselfAsTooSlow) {
  Brief brief = brief_of(2);
  brief.settings.epsilon = 0.5;  // 1.5 x 1 s and sums of 1.5 s are exact in binary
  Lockstep ranks("star-basic", brief, 1, [](int, int candidate, int) { return candidate == 0 ? 0.5 : 1.0; });
  ranks.call(20);
  ranks.measure([](int, int, int) { return 1.5; });
  ranks.call(20);
  EXPECT_EQ(ranks.proposed(), 1);
}

TEST(MonitorAdapt, ExchangesOnlyALogarithmOfTheCalls) {
  Lockstep ranks = after_measure_select(std::int64_t{1} << 40);
  ranks.call(100000);
  EXPECT_EQ(monitored(ranks).size(), 12U);  // 20 (2^12 - 1) <= 100000 < 20 (2^13 - 1)
}

}  // namespace
}  // namespace starling::testing
