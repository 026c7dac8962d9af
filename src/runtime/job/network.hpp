#pragma once

#include "runtime/contexts/setup.hpp"

namespace starling {

/// Sets the platform from the settings, and on which of its hosts each rank of MPI_COMM_WORLD runs. Collective.
void set_platform(Setup& now);

/// Sets the model of the network where the strategy asks for predicted times: from the settings, from the history, or
/// by a probe. Without any of these there is none. Collective.
void set_network(Setup& now);

}  // namespace starling
