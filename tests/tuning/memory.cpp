// What tuners keep, in bytes that the allocator counts: docs/strategies.md, "What tuning keeps".

#include <gtest/gtest.h>
#include <malloc.h>

#include <algorithm>
#include <cstddef>
#include <memory>
#include <ostream>
#include <span>
#include <string>
#include <vector>

#include "sanitized.hpp"
#include "selection/chance.hpp"
#include "selection/lockstep.hpp"
#include "tuning/tuner.hpp"

namespace starling {
namespace {

/// The first rank, whose times the others have too.
class OneRank final : public Consensus {
 public:
  [[nodiscard]] bool is_first() const override { return true; }
  [[nodiscard]] int rank_in_world() const override { return 0; }
  void reduce_to_first(std::span<double> /*values*/, Fixed /*fixed*/, SampleReduction /*reduction*/) override {}
  void broadcast(std::span<double> /*values*/) override {}
};

constexpr int candidates_of_allreduce = 60;
constexpr int calls_of_each = 400;

/// As an allreduce on two ranks has them: each candidate has two of three attributes.
Brief brief_of_allreduce() {
  Brief brief = testing::brief_of(candidates_of_allreduce);
  brief.synchronises = true;
  for (int i = 0; i < candidates_of_allreduce; ++i) {
    Candidate& one = brief.candidates.own()[static_cast<std::size_t>(i)];
    if (i > 0) one.attributes = {{"algorithm", std::to_string(i % 8)}, {"segment", std::to_string(i / 8)}};
    if (i % 5 > 1) one.refusal = "needs another number of ranks";
  }
  return brief;
}

/// Of a machine that other programs use as well: calls differ by a quarter, and each tenth takes thrice as long.
double disturbed(int candidate, Chance& chance) {
  const double usual = testing::slower_the_later(0, candidate, 0) * (0.8 + (0.5 * chance.next()));
  return chance.next() < 0.1 ? 3 * usual : usual;
}

/// So many that what the allocator keeps of freed memory does not count; an address sanitizer's does not.
constexpr std::size_t alike = testing::sanitized ? 1 : 512;

/// Bytes of one of several tuners that differ in nothing, beyond what the first of them keeps for all.
std::size_t bytes_of_one(const std::string& strategy, bool is_quiet) {
  const auto named = strategy_named(strategy).value();
  const Brief brief = brief_of_allreduce();
  OneRank ranks;
  const auto played = [&] {
    auto tuner = std::make_unique<Tuner>(brief, named.first->make);
    tuner->open(ranks);
    Chance chance(1);
    for (int call = 0; call < calls_of_each; ++call) {
      const Tuner::Turn turn = tuner->begin();
      tuner->end(turn,
                 is_quiet ? testing::slower_the_later(0, turn.candidate, call) : disturbed(turn.candidate, chance), 0);
      if (!tuner->is_due()) continue;
      tuner->agree(ranks, SampleReduction::max);
      for (int i = 0; i < tuner->candidates(); ++i)
        if (named.first->keeps_trying && i != tuner->proposed()) tuner->rest(i);
    }
    return tuner;
  };
  const auto first = played();
  std::vector<std::unique_ptr<Tuner>> made(alike);
  const std::size_t before = mallinfo2().uordblks;
  for (auto& tuner : made) tuner = played();
  return (mallinfo2().uordblks - before) / alike;
}

struct MostBytes {
  std::string strategy;
  std::size_t quiet;
  std::size_t disturbed;
  friend std::ostream& operator<<(std::ostream& out, const MostBytes& one) { return out << one.strategy; }
};

class WhatATunerKeeps : public ::testing::TestWithParam<MostBytes> {};

TEST_P(WhatATunerKeeps, IsAFewKibibytes) {
  EXPECT_LE(bytes_of_one(GetParam().strategy, true), GetParam().quiet);
  EXPECT_LE(bytes_of_one(GetParam().strategy, false), GetParam().disturbed) << "where times scatter";
}

INSTANTIATE_TEST_SUITE_P(Memory, WhatATunerKeeps,
                         ::testing::Values(MostBytes{"native", 520, 520}, MostBytes{"star", 2850, 3550},
                                           MostBytes{"star-basic", 2850, 3150}, MostBytes{"lottery", 2700, 3050},
                                           MostBytes{"brute-force", 4200, 4450}, MostBytes{"attribute", 4500, 4700},
                                           MostBytes{"factorial", 4350, 4500}, MostBytes{"auto", 2500, 2500}),
                         [](const auto& one) {
                           std::string name = one.param.strategy;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

}  // namespace
}  // namespace starling
