#pragma once

#include <vector>

#include "knowledge/earlier_runs.hpp"
#include "knowledge/settings.hpp"

namespace starling {

/// What all ranks of MPI_COMM_WORLD agree on in MPI_Init.
struct Agreement {
  bool ends_whole = false;     ///< the job ends if a rank dies or a communicator is revoked
  bool is_serialized = false;  ///< on every rank only one thread at a time calls MPI
  bool has_all = false;        ///< every rank got all that Starling needs from the MPI library
  Settings settings;           ///< rank 0's
  EarlierRuns earlier;         ///< what rank 0 found in the history
  std::vector<int> nodes;      ///< for each rank the lowest rank on the same host
  /// For each rank 1 where it shares processors with others of its host, else 0 (`sharing_processors`).
  std::vector<int> sharing;
  std::vector<int> domains;  ///< of its host, for each rank; one where a rank of the host does not know its own
};

/// Whether the job may go on after a rank dies or a communicator is revoked. Ranks that wait must then get an error,
/// but get none on communicators that the application does not know.
bool is_fault_tolerant();

/// Makes the agreement on the private world communicator: rank 0 gathers the facts of all ranks and broadcasts the
/// result, mostly in two messages per rank. `has_all` is this rank's. Collective.
Agreement agree_in_init(bool has_all);

}  // namespace starling
