#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <string>

#include "cost/network.hpp"
#include "cost/parameters.hpp"
#include "schedule/program.hpp"

namespace starling {

/// What the cost model says of a call.
struct Prediction {
  double seconds = 0;   ///< from the moment at which all ranks begin until the last one has finished
  std::string refusal;  ///< why it says nothing, a sentence without a full stop; empty where it does
};

/// Messages that are simulated at most: a pairwise exchange of 2048 ranks.
inline constexpr std::int64_t most_messages = std::int64_t{1} << 22;
/// Messages that may be under way at once: the time to share links among them grows faster than their number.
inline constexpr std::int64_t most_at_once = std::int64_t{1} << 17;

/// How many messages a program has; each stands in two programs.
std::int64_t messages_in(const Program& program);

/// The time of one collective by a simulation of the rounds of all ranks (docs/cost-model.md). `programs[r]`, in units
/// of bytes, is what rank r does; the checker has proven that they match. A barrier of the MPI library counts as a
/// dissemination, its other collectives as their stand-ins (cost/stand_in.hpp). Pure; equal arguments give equal
/// results. More than `most_visits` to flows and links (FairShares::visits) are refused too.
/// Throws std::invalid_argument where messages do not match or ranks wait for ever.
Prediction predict(std::span<const Program> programs, const Network& network, const CostParameters& parameters,
                   std::int64_t most_visits = std::numeric_limits<std::int64_t>::max());

}  // namespace starling
