#include "selection/trials.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "halo_set.hpp"

namespace starling::testing {
namespace {

const std::vector<AgreedCall> two_calls(2, AgreedCall{1e-3, 1e-3, 0});

TEST(Trials, AddNothingToACandidateThatMayNotServe) {
  Brief brief = halo_set();
  brief.candidates.own()[1].refusal = "needs an even number of ranks";
  Trials trials(brief);
  trials.add(1, two_calls);
  EXPECT_FALSE(trials.tried(1));
  EXPECT_FALSE(trials.eligible(1));
  EXPECT_EQ(trials.best(), -1);
}

TEST(Trials, AddNothingToACandidateThatWasRefusedAtACall) {
  Trials trials(halo_set());
  trials.add(2, std::vector<AgreedCall>(1, AgreedCall{refused_seconds, refused_seconds, 0}));
  trials.add(2, two_calls);
  EXPECT_FALSE(trials.tried(2));
  EXPECT_FALSE(trials.eligible(2));
  trials.add(3, two_calls);
  EXPECT_EQ(trials.best(), 3);
}

TEST(Trials, WantMoreCallsOfACandidateThatWasPutOffAndIsFast) {
  Trials trials(halo_set());
  trials.add(0, std::vector<AgreedCall>(10, AgreedCall{1e-3, 1e-3, 0}));
  trials.put_off(12, true);
  EXPECT_TRUE(trials.known(12));
  trials.add(12, std::vector<AgreedCall>(1, AgreedCall{7e-4, 7e-4, 0}));
  EXPECT_TRUE(trials.begun(12));
}

}  // namespace
}  // namespace starling::testing
