#include "selection/agreement_cost.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>

namespace starling::testing {
namespace {

TEST(AgreementCost, IsUnderOnePercentOfTheTimeOfCalls) {
  constexpr double call = 1e-5;
  AgreementCost cost(1, true);
  double of_calls = 0;
  double of_agreements = 0;
  for (int i = 0; i < 50; ++i) {
    const auto calls = static_cast<double>(std::max<std::int64_t>(cost.calls_until_it_pays(call), 1));
    cost.add_calls(calls * call);
    of_calls += calls * call;
    cost.add(2e-5, call);
    of_agreements += 2e-5;
  }
  EXPECT_LT(of_agreements, 0.01 * of_calls);
  EXPECT_GT(of_agreements, 0.005 * of_calls);
}

TEST(AgreementCost, DoesNotTakeALateRankForItsOwn) {
  AgreementCost cost(1, true);
  cost.add(1, 1e-3);
  EXPECT_LE(cost.seconds(), 1e-3);
  cost.add(1, 1e-3);
  EXPECT_LE(cost.seconds(), 1.301e-3);
  cost.add(2e-5, 1e-3);
  EXPECT_DOUBLE_EQ(cost.seconds(), 2e-5);
}

TEST(AgreementCost, HasTheLeadOfRanksThatDoNotWaitForOthers) {
  constexpr double call = 1e-2;
  AgreementCost together(1, true);
  AgreementCost apart(1, false);
  for (AgreementCost* const one : {&together, &apart})
    for (int i = 0; i < 2; ++i) one->add(2e-5, call);
  EXPECT_GT(apart.calls_until_it_pays(call), together.calls_until_it_pays(call) + 50);
}

TEST(AgreementCost, MayComeFourCallsInAdvanceWhereRanksShareProcessors) {
  AgreementCost shared(1, true, true);
  AgreementCost own(1, true, false);
  constexpr double call = 1e-3;
  for (AgreementCost* const one : {&shared, &own}) one->add(1e-3, call);
  EXPECT_EQ(shared.calls_until_it_pays(call), 0);
  EXPECT_GT(own.calls_until_it_pays(call), 100);
}

TEST(AgreementCost, IsPaidByFewLongCallsAndManyShortOnes) {
  AgreementCost cost(1, true);
  cost.add(2e-5, 1);
  EXPECT_EQ(cost.calls_until_it_pays(1), 0);
  EXPECT_EQ(cost.calls_worth_one(1), 8);
  EXPECT_EQ(cost.calls_worth_one(1e-6), 320);
  EXPECT_EQ(cost.calls_until_it_pays(1e-12), 1000000);
}

}  // namespace
}  // namespace starling::testing
