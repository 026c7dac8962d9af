#include "topology/phases.hpp"

#include "topology/phased_exchange.hpp"

namespace starling {

std::int64_t contention_free_phase_count(const SwitchTree& tree) {
  return tree.ranks() < 2 ? 0 : PhasedExchange(tree).phases();
}

std::vector<Phase> contention_free_phases(const SwitchTree& tree, int rank) {
  if (tree.ranks() < 2) return {};
  const PhasedExchange exchange(tree);
  std::vector<Phase> mine(static_cast<std::size_t>(exchange.phases()));
  for (int phase = 0; phase < exchange.phases(); ++phase) {
    Phase& one = mine[static_cast<std::size_t>(phase)];
    if (const auto sent = exchange.sent_by(rank, phase)) one.to = sent->to;
    if (const auto received = exchange.received_by(rank, phase)) one.from = received->from;
  }
  return mine;
}

}  // namespace starling
