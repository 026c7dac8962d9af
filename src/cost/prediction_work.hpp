#pragma once

#include <cstdint>

#include "algorithms/candidate.hpp"

namespace starling {

/// What it takes to predict a call, estimated from the schedule of one rank: microseconds on a 2.6 GHz core, from
/// bench/core/predict.cpp. Each kind of step adds its own.
struct PredictionWork {
  int rank;
  std::int64_t block;  ///< bytes of a block, about
  double microseconds = 0;
  double sends = 0;       ///< messages
  double most_sends = 0;  ///< at once
};

/// Microseconds for the schedule of one rank, and the messages that it sends.
double prediction_work(const Bound& bound, const Situation& situation, int rank, int root);

}  // namespace starling
