#pragma once

namespace starling {

/// Adds up what every communicator's rank 0 saw, on rank 0 of MPI_COMM_WORLD, which writes the run record. Collective
/// over MPI_COMM_WORLD. What can't be written is said in one line on stderr.
void publish_run_record();

}  // namespace starling
