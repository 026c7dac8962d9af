#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <numeric>
#include <string>
#include <vector>

#include "matrix.hpp"
#include "player.hpp"
#include "sources.hpp"

namespace starling::testing {
namespace {

const std::vector<replay::Matrix>& recorded() {
  static const std::vector<replay::Matrix> all = [] {
    std::ifstream file(source_root() / "docs/results/matrices.json");
    return replay::matrices_from_json({std::istreambuf_iterator<char>(file), {}});
  }();
  return all;
}

/// Time of all calls / native's, for each matrix in ascending order.
struct Ratios {
  explicit Ratios(const std::vector<replay::Played>& games, std::size_t checkpoint) {
    for (const replay::Played& one : games) ratios.push_back(one.total[checkpoint] / one.native[checkpoint]);
    std::sort(ratios.begin(), ratios.end());
  }
  [[nodiscard]] double mean() const {
    return std::accumulate(ratios.begin(), ratios.end(), 0.0) / static_cast<double>(ratios.size());
  }
  [[nodiscard]] double p95() const { return ratios[ratios.size() * 95 / 100]; }
  [[nodiscard]] double worst() const { return ratios.back(); }
  std::vector<double> ratios;
};

struct Goal {
  std::int64_t calls;
  double mean;
  double p95;
  double worst;
};

const replay::Scenario& scenario_named(std::string_view name) {
  return *std::find_if(replay::scenarios().begin(), replay::scenarios().end(),
                       [&](const replay::Scenario& one) { return one.name == name; });
}

void expect(std::string_view scenario_name, const std::vector<Goal>& goals, double right) {
  const replay::Scenario& scenario = scenario_named(scenario_name);
  std::vector<replay::Played> games;
  for (std::size_t i = 0; i < recorded().size(); ++i)
    games.push_back(replay::play(recorded()[i], recorded()[i], "auto", scenario, goals.back().calls, 1 + i, true));
  for (const Goal& goal : goals) {
    const auto& at = games.front().at;
    const auto place = static_cast<std::size_t>(std::find(at.begin(), at.end(), goal.calls) - at.begin());
    const Ratios found(games, place);
    EXPECT_LT(found.mean(), goal.mean) << scenario_name << ", " << goal.calls << " calls";
    EXPECT_LT(found.p95(), goal.p95) << scenario_name << ", " << goal.calls << " calls";
    EXPECT_LT(found.worst(), goal.worst) << scenario_name << ", " << goal.calls << " calls";
  }
  const auto good =
      std::count_if(games.begin(), games.end(), [](const replay::Played& one) { return one.final_ratio <= 1.03; });
  EXPECT_GE(static_cast<double>(good), right * static_cast<double>(games.size())) << scenario_name;
}

// The best candidates in hindsight have 0.772 of native's time.

TEST(AutoOnRecordedTimes, GainsFromTheFirstCallsAndNeverLosesMuch) {
  expect("plain", {{20, 0.88, 1.06, 1.20}, {60, 0.84, 1.03, 1.12}, {300, 0.81, 1.02, 1.04}, {3000, 0.79, 1.005, 1.02}},
         0.93);
}

TEST(AutoOnRecordedTimes, GainsFromTheFirstCallWithAHistory) {
  expect("history", {{20, 0.82, 1.05, 1.12}, {300, 0.80, 1.02, 1.06}}, 0.85);
}

TEST(AutoOnRecordedTimes, LosesLittleWhereTimesScatterOrRanksAreLate) {
  expect("busy", {{20, 0.89, 1.1, 1.25}, {300, 0.82, 1.03, 1.35}},
         0.84);  // the worst: a long trial was one of these calls
  expect("noisy", {{300, 0.86, 1.08, 1.2}}, 0);
  expect("late", {{300, 0.82, 1.04, 1.06}}, 0.84);
  expect("very late", {{300, 0.845, 1.07, 1.18}}, 0.72);
  expect("sizes", {{300, 0.82, 1.04, 1.08}}, 0.8);
}

TEST(AutoOnRecordedTimes, LosesLessInTheWorstContextsWithASmallerBudget) {
  const auto after_20_calls = [](double budget) {
    StrategySettings settings;
    settings.budget = budget;
    std::vector<replay::Played> games;
    for (std::size_t i = 0; i < recorded().size(); ++i)
      games.push_back(
          replay::play(recorded()[i], recorded()[i], "auto", scenario_named("plain"), 20, 1 + i, true, settings));
    return Ratios(games, games.front().at.size() - 1);
  };
  const Ratios nothing = after_20_calls(0);
  const Ratios little = after_20_calls(0.01);
  const Ratios usual = after_20_calls(0.05);
  EXPECT_LT(nothing.p95(), 1.005);
  EXPECT_LT(little.p95(), 1.02);
  EXPECT_LT(nothing.p95(), little.p95());
  EXPECT_LT(little.p95(), usual.p95());
  EXPECT_LT(usual.mean(), little.mean());  // and trying is what gains
}

}  // namespace
}  // namespace starling::testing
