#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <queue>
#include <span>
#include <vector>

#include "cost/network.hpp"
#include "cost/parameters.hpp"
#include "schedule/program.hpp"

namespace starling {

/// What the steps of a kind cost: a specialisation in src/cost/steps for each (HasCost).
template <class Kind>
class StepCost;

/// The ranks of a simulated call and what is to happen to them: what the costs of all kinds of steps work on. A cost
/// begins a step of a rank, and calls `step_over` when it is over.
class SimulatedRanks {
 public:
  enum class What : std::uint8_t { begin_step, released, may_flow, flowed, arrived };
  struct Event {
    double time;
    std::int64_t number;  ///< events of one time happen in the order in which they were foreseen
    What what;
    int subject;  ///< a rank or a message
    bool operator>(const Event& other) const { return time != other.time ? time > other.time : number > other.number; }
  };
  struct Rank {
    std::size_t step = 0;
    double free = 0;  ///< when its processor is
    bool done = false;
  };

  /// Everything given outlives it.
  SimulatedRanks(std::span<const Program> programs, const Network& network, const CostParameters& parameters)
      : programs_(programs),
        network_(network),
        parameters_(parameters),
        ranks_(programs.size()),
        ways_(static_cast<std::size_t>(network.domains())) {}

  [[nodiscard]] std::span<const Program> programs() const { return programs_; }
  [[nodiscard]] const Program& program(int rank) const { return programs_[static_cast<std::size_t>(rank)]; }
  [[nodiscard]] const Network& network() const { return network_; }
  [[nodiscard]] const CostParameters& parameters() const { return parameters_; }
  [[nodiscard]] std::span<Rank> ranks() { return ranks_; }
  [[nodiscard]] Rank& at(int rank) { return ranks_[static_cast<std::size_t>(rank)]; }
  /// L between two ranks.
  [[nodiscard]] double latency(int from, int to) const {
    if (!network_.on_one_host(from, to)) return parameters_.latency + network_.latency(from, to);
    return parameters_.memory_latency + (in_one_domain(from, to) ? 0 : parameters_.domain_latency);
  }
  /// When data of a rank has come to another of its host, at the rate of the way into that one's domain, which carries
  /// one thing after the other; it sets out at `now`. At once within a domain.
  double crossed(int from, int to, std::int64_t bytes, double now) {
    if (in_one_domain(from, to)) return now;
    double& way = ways_[static_cast<std::size_t>(network_.domain_of(to))];
    way = std::max(way, now) + (static_cast<double>(bytes) * parameters_.domain_per_byte);
    return way;
  }

  void foresee(double time, What what, int subject) { events_.push({time, count_++, what, subject}); }
  [[nodiscard]] const Event* next() const { return events_.empty() ? nullptr : &events_.top(); }
  Event take_next() {
    const Event event = events_.top();
    events_.pop();
    return event;
  }

  /// The step of `rank` has ended at `now`. Local work that follows takes no other rank, and is done at once.
  void step_over(int rank, double now);

 private:
  [[nodiscard]] bool in_one_domain(int a, int b) const { return network_.domain_of(a) == network_.domain_of(b); }

  std::span<const Program> programs_;
  const Network& network_;
  const CostParameters& parameters_;
  std::vector<Rank> ranks_;
  std::vector<double> ways_;  ///< when the way into each domain is free
  std::priority_queue<Event, std::vector<Event>, std::greater<>> events_;
  std::int64_t count_ = 0;
};

}  // namespace starling
