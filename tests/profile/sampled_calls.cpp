#include "profile/sampled_calls.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>

namespace starling::testing {
namespace {

TEST(SampledCalls, AreTheSameCallsOnAllRanksWhateverTheirTimes) {
  SampledCalls one;
  SampledCalls other;
  for (int call = 0; call < 100'000; ++call) {
    one.add(call, 0);
    other.add(1e-6, 0);
  }
  ASSERT_EQ(one.kept().size(), other.kept().size());
  for (std::size_t i = 0; i < one.kept().size(); ++i) {
    EXPECT_EQ(one.kept()[i].number, other.kept()[i].number);
    EXPECT_EQ(one.kept()[i].seconds, static_cast<float>(one.kept()[i].number));
  }
}

TEST(SampledCalls, AreAllCallsWhileThereIsRoom) {
  SampledCalls calls;
  for (std::size_t call = 0; call < SampledCalls::most; ++call) calls.add(1, 0);
  EXPECT_EQ(calls.kept().size(), SampledCalls::most);
}

TEST(SampledCalls, HaveTheFirstCallAlwaysAndNeverGetTooFewOrTooMany) {
  SampledCalls calls;
  for (int call = 0; call < 1'000'000; ++call) {
    calls.add(1, 0);
    if (call < 64) continue;
    ASSERT_LE(calls.kept().size(), SampledCalls::most);
    ASSERT_GE(calls.kept().size(), SampledCalls::most / 2 - 4) << call;
    ASSERT_EQ(calls.kept().front().number, 0U);
  }
}

TEST(SampledCalls, FallOnEachPhaseOfAProgramThatRepeatsItself) {
  for (const std::uint32_t period : {2U, 3U, 4U, 5U, 8U, 10U}) {
    SampledCalls calls;
    for (int call = 0; call < 77'777; ++call) calls.add(1, 0);
    std::array<int, 10> of_phase{};
    for (const SampledCalls::Kept& one : calls.kept()) ++of_phase.at(one.number % period);
    const auto fair = static_cast<double>(calls.kept().size()) / period;
    for (std::uint32_t phase = 0; phase < period; ++phase)
      EXPECT_LT(std::abs(of_phase.at(phase) - fair), 0.75 * fair + 1) << phase << " of " << period;
  }
}

}  // namespace
}  // namespace starling::testing
