#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "matrix.hpp"
#include "selection/strategy.hpp"

namespace starling::replay {

/// What happens while a matrix is played.
struct Scenario {
  std::string_view name;
  std::string_view says;
  double noise = 0;             ///< standard deviation of the logarithm of times, besides what was recorded
  double disturbed = 0;         ///< share of calls that something else disturbs ...
  double disturbance = 1;       ///< ... which makes them so many times as long
  double late = 0;              ///< a rank is late by so many times native's time ...
  bool late_at_random = false;  ///< ... a random one, by an exponentially distributed time; else always the last
  double scale = 1;             ///< of all times
  double agreement = 0;         ///< what an agreement takes, in native's times; part of the total
  double lead = 0;              ///< share of a call's time that an agreement costs where calls do not synchronise
  double sizes = 1;             ///< the work of calls varies by this factor, in turn
  std::int64_t splice_at = 0;   ///< the call from which another matrix of the same collective is played; 0 for none
  bool history = false;         ///< an earlier run of 300 calls is known
};

/// Every scenario.
const std::vector<Scenario>& scenarios();

/// The cells of a table: one strategy on one matrix.
struct Played {
  std::vector<std::int64_t> at;  ///< numbers of calls
  std::vector<double> total;     ///< seconds of the collective in so many calls
  std::vector<double> native;    ///< the same, had native carried out all of them
  std::vector<double> best;      ///< had the one candidate carried out all of them that is best for all calls
  std::string final;             ///< the candidate at the end
  double final_ratio = 1;        ///< its time relative to the best candidate's, both without noise
  /// The first call from which on what is chosen is within 5 % of the best; -1 if there is none.
  std::int64_t settled_from = 0;
  std::int64_t agreements = 0;
  std::vector<std::int64_t> calls_of;  ///< each candidate
  std::vector<Decision> decisions;
};

/// Plays `matrix` to a strategy for `calls` calls. `other` is what a splice goes on with. The same seed gives the same
/// times to every strategy. `with_model`: the strategy may ask for the predicted times.
Played play(const Matrix& matrix, const Matrix& other, std::string_view strategy, const Scenario& scenario,
            std::int64_t calls, std::uint64_t seed, bool with_model, const StrategySettings& settings = {});

}  // namespace starling::replay
