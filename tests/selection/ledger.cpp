#include "selection/ledger.hpp"

#include <gtest/gtest.h>

namespace starling::testing {
namespace {

TEST(Ledger, ChargesWhatIsKnownNowOfAllCalls) {
  Ledger ledger(1, 4);
  ledger.count(0, 10);
  EXPECT_EQ(ledger.lost(2, [](int) { return 100.0; }), 0) << "all calls were native's";
  ledger.count(3, 5);
  ledger.count(1, 2);
  const auto seconds_of = [](int candidate) { return candidate == 3 ? 3.0 : 1.5; };
  EXPECT_DOUBLE_EQ(ledger.lost(2, seconds_of), (5 * 1.0) - (2 * 0.5));
  EXPECT_EQ(ledger.calls(), 17);
  ledger.was_refused(3, 5);
  EXPECT_DOUBLE_EQ(ledger.lost(2, seconds_of), -(2 * 0.5)) << "native carried them out";
}

TEST(Ledger, ChargesTheFirstCallWithWhatItCostsBesides) {
  Ledger ledger(1, 3);
  ledger.expect_to_begin(2, 0.25);
  EXPECT_DOUBLE_EQ(ledger.cost_of_trial(2, 4, 0.5), (4 * 0.5) + 0.25);
  EXPECT_DOUBLE_EQ(ledger.cost_of_trial(1, 4, 0.5), 4 * 0.5);
  EXPECT_DOUBLE_EQ(ledger.lost(1, [](int) { return 1.0; }), 0) << "not made yet";
  ledger.count(2, 1);
  EXPECT_DOUBLE_EQ(ledger.seconds_to_begin(2), 0);
  EXPECT_DOUBLE_EQ(ledger.lost(1, [](int) { return 1.0; }), 0.25);
}

TEST(Ledger, AllowsTheUsualBudgetOf20CallsAndAnEverSmallerShare) {
  const Ledger usual(1, 2);
  EXPECT_NEAR(usual.allowed(20, 1) / 20, 0.05, 0.003);
  EXPECT_LT(usual.allowed(2000, 1) / 2000, 0.003);
  EXPECT_DOUBLE_EQ(usual.allowed(20, 0.5), usual.allowed(20, 1) / 2);
  EXPECT_DOUBLE_EQ(Ledger(0.5, 2).allowed(20, 1), usual.allowed(20, 1) / 2);
}

TEST(Ledger, ForgetsCallsBeforeTheNetworkChanged) {
  Ledger ledger(1, 2);
  ledger.count(1, 7);
  ledger.start_anew();
  EXPECT_EQ(ledger.calls(), 0);
  EXPECT_EQ(ledger.calls_of(1), 0);
  EXPECT_EQ(ledger.lost(1, [](int) { return 9.0; }), 0);
}

}  // namespace
}  // namespace starling::testing
