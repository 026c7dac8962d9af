#pragma once

#include "runtime/contexts/setup.hpp"

namespace starling {

/// Sets the platform from the settings, and on which of its hosts each rank of MPI_COMM_WORLD runs. Collective.
void set_platform(Setup& now);

/// Sets the model of the network where the strategy asks for predicted times: from the settings or from the history.
/// Else sets how ranks may measure it once that is worth its time, or measures it at once. Collective.
void set_network(Setup& now);

}  // namespace starling
