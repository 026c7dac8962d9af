#pragma once

#include <cstdint>
#include <vector>

#include "topology/switch_tree.hpp"

namespace starling {

/// What one rank does in one phase of an exchange of all ranks with all: -1 where it does nothing.
struct Phase {
  int to = -1;
  int from = -1;
};

/// How many phases an all-to-all exchange needs: the messages on the fullest link.
std::int64_t contention_free_phase_count(const SwitchTree& tree);

/// The phases of an all-to-all exchange in which no two messages use a link in the same direction, and of which there
/// are as few as the fullest link allows: for each phase, what `rank` does. Faraj and Yuan 2005, "Bandwidth efficient
/// all-to-all personalized communication on Ethernet switched clusters".
std::vector<Phase> contention_free_phases(const SwitchTree& tree, int rank);

}  // namespace starling
