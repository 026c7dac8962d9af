#include "selection/proof.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <vector>

#include "selection/chance.hpp"

namespace starling::testing {
namespace {

/// Seconds from call to call with native and with the candidate, with noise that is the same for both.
struct Program {
  std::array<double, 2> seconds;
  double noise;
};

/// Plays a proof of candidate 3 to its end.
Proof::Result proven(const Program& program, double expected, std::vector<int>* made = nullptr) {
  Proof proof;
  proof.begin(3);
  Chance chance(7);
  for (;;) {
    const int next = proof.next();
    if (made != nullptr) made->push_back(next);
    proof.add(program.seconds.at(next == 0 ? 0 : 1) * std::exp(program.noise * (chance.next() - 0.5)));
    if (const auto found = proof.result(expected)) return *found;
  }
}

TEST(Proof, TakesTurnsInAnOrderThatFavoursNeither) {
  std::vector<int> made;
  proven({{1, 1}, 0.1}, 0.2, &made);
  EXPECT_EQ(made, (std::vector<int>{3, 0, 0, 3, 3, 0, 0, 3}));
}

TEST(Proof, EndsEarlyWhereItIsClear) {
  std::vector<int> made;
  const Proof::Result found = proven({{10e-3, 9e-3}, 0.01}, 0.1, &made);
  EXPECT_TRUE(found.is_faster);
  EXPECT_NEAR(found.with_native, 10e-3, 1e-4);
  EXPECT_NEAR(found.with_candidate, 9e-3, 1e-4);
  EXPECT_EQ(made.size(), 4U);
}

TEST(Proof, ACandidateThatSlowsTheProgramDownFails) {
  EXPECT_FALSE(proven({{10e-3, 10.5e-3}, 0.01}, 0.1).is_faster);
}

TEST(Proof, NothingSpeaksAgainstACandidateWhereTimesScatterByMoreThanItMayGain) {
  EXPECT_TRUE(proven({{10e-3, 10.1e-3}, 2}, 0.01).is_faster);
}

TEST(Proof, IsOverOnceThereIsAResult) {
  Proof proof;
  EXPECT_FALSE(proof.is_running());
  proof.begin(1);
  for (const double seconds : {1.0, 2.0, 2.0, 1.0}) {
    EXPECT_FALSE(proof.result(0.1));
    EXPECT_TRUE(proof.is_running());
    proof.add(seconds);
  }
  EXPECT_TRUE(proof.result(0.1));
  EXPECT_FALSE(proof.is_running());
}

}  // namespace
}  // namespace starling::testing
