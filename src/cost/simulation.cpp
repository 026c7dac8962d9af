#include "cost/simulation.hpp"

#include <algorithm>
#include <limits>
#include <stdexcept>

#include "cost/steps/local_work.hpp"

namespace starling {

std::optional<double> Simulation::run(std::int64_t most_visits) {
  for (int rank = 0; rank < static_cast<int>(ranks_.ranks().size()); ++rank)
    ranks_.foresee(0, SimulatedRanks::What::begin_step, rank);
  while (true) {
    if (messages_.visits() > most_visits) return std::nullopt;
    const double flow_ends = messages_.next_end();
    const SimulatedRanks::Event* next = ranks_.next();
    if (next == nullptr && flow_ends == std::numeric_limits<double>::infinity()) break;
    if (next == nullptr || flow_ends <= next->time) {
      messages_.end_flows(flow_ends);
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
    messages_.happen(event);
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
  switch (step.kind) {
    case StepKind::send:
    case StepKind::receive:
    case StepKind::exchange:
    case StepKind::messages: messages_.begin(rank, step, now); break;
    case StepKind::native_part: natives_.begin(program.natives[static_cast<std::size_t>(step.first)], now); break;
    case StepKind::sharing: sharings_.begin(rank, program.sharings[static_cast<std::size_t>(step.first)], now); break;
    case StepKind::copy:
    case StepKind::combine:
      me.free += local_seconds(program, step, ranks_.parameters());
      ranks_.step_over(rank, now);
      break;
  }
}

}  // namespace starling
