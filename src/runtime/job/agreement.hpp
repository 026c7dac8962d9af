#pragma once

#include <vector>

#include "knowledge/earlier_runs.hpp"
#include "knowledge/settings.hpp"

namespace starling {

/// What all ranks of MPI_COMM_WORLD know since MPI_Init.
struct Agreement {
  bool ends_whole = false;  ///< no rank may die, no communicator be revoked, without the end of the job
  bool one_by_one = false;  ///< on every rank only one thread at a time calls MPI
  bool has_all = false;     ///< every rank got from the MPI library what Starling needs
  Settings settings;        ///< rank 0's
  EarlierRuns earlier;      ///< what rank 0 found in the history
  std::vector<int> nodes;   ///< of each rank the lowest rank that runs on the same host
};

/// Whether a rank may die, or a communicator be revoked, without an end of the job: then the others must hear of it
/// where they wait, which they don't on communicators that the application does not know.
bool is_fault_tolerant();

/// Comes to it on the private world communicator, in two messages a rank where there is not much to tell: every rank
/// says how it is with it, and rank 0 what holds for all. `has_all` is this rank's own. Collective.
Agreement agree_in_init(bool has_all);

}  // namespace starling
