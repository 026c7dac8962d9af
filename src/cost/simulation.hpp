#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <span>

#include "cost/network.hpp"
#include "cost/parameters.hpp"
#include "cost/simulated_ranks.hpp"
#include "cost/steps/kinds.hpp"
#include "schedule/program.hpp"

namespace starling {

/// One call of a collective, simulated event by event. What a step of each kind costs is in src/cost/steps.
class Simulation {
 public:
  /// Everything given outlives it. Throws std::invalid_argument where sends and receives do not match.
  Simulation(std::span<const Program> programs, const Network& network, const CostParameters& parameters)
      : ranks_(programs, network, parameters), costs_(ranks_) {}

  /// When the last rank has finished, in seconds; nothing where that takes more than so many visits to flows and links
  /// (FairShares::visits). Throws std::invalid_argument where ranks wait for ever.
  std::optional<double> run(std::int64_t most_visits = std::numeric_limits<std::int64_t>::max());

 private:
  void happen(const SimulatedRanks::Event& event);
  void begin_step(int rank, double now);
  StepCost<Messages>& messages() { return costs_; }

  SimulatedRanks ranks_;
  StepKinds::OneOfEach<StepCost> costs_;
};

}  // namespace starling
