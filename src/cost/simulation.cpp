#include "cost/simulation.hpp"

#include <algorithm>
#include <limits>
#include <stdexcept>
#include <type_traits>

namespace starling {

std::optional<double> Simulation::run(std::int64_t most_visits) {
  for (int rank = 0; rank < static_cast<int>(ranks_.ranks().size()); ++rank)
    ranks_.foresee(0, SimulatedRanks::What::begin_step, rank);
  while (true) {
    if (messages().visits() > most_visits) return std::nullopt;
    const double flow_ends = messages().next_end();
    const SimulatedRanks::Event* next = ranks_.next();
    if (next == nullptr && flow_ends == std::numeric_limits<double>::infinity()) break;
    if (next == nullptr || flow_ends <= next->time) {
      messages().end_flows(flow_ends);
      continue;
    }
    // All that happens at one time before links are shared out anew.
    for (const double now = next->time; next != nullptr && next->time == now; next = ranks_.next())
      happen(ranks_.take_next());
  }
  double last = 0;
  for (const SimulatedRanks::Rank& one : ranks_.ranks()) {
    if (!one.done) throw std::invalid_argument("the ranks wait for ever");
    last = std::max(last, one.free);
  }
  return last;
}

void Simulation::happen(const SimulatedRanks::Event& event) {
  if (event.what == SimulatedRanks::What::begin_step) {
    begin_step(event.subject, event.time);
  } else {
    messages().happen(event);
  }
}

void Simulation::begin_step(int rank, double now) {
  SimulatedRanks::Rank& me = ranks_.at(rank);
  const Program& program = ranks_.program(rank);
  if (me.step == program.steps.size()) {
    me.done = true;
    return;
  }
  const Step& step = program.steps[me.step];
  step.visit([&]<class Kind>(std::type_identity<Kind> /*kind*/) {
    static_assert(HasCost<Kind>,
                  "src/cost/steps lacks the cost of a kind of step, or its kinds.hpp does not include it");
    static_cast<StepCost<Kind>&>(costs_).begin(rank, step, now);
  });
}

}  // namespace starling
