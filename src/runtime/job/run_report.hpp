#pragma once

namespace starling {

/// Sums up what happened on all communicators, as their ranks 0 know it, on rank 0 of MPI_COMM_WORLD, which writes the
/// run record or prints one line on stderr why it can't. Collective over MPI_COMM_WORLD.
void publish_run_record();

}  // namespace starling
