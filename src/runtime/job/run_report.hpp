#pragma once

namespace starling {

/// Sums up what happened on all communicators, as their ranks 0 know it, on rank 0 of MPI_COMM_WORLD, which writes the
/// run record or prints one line on stderr why it can't. Collective over MPI_COMM_WORLD.
void publish_run_record();

/// From now on agreements write what rank 0 of MPI_COMM_WORLD knows into the record, once in a while, so that a job
/// that is killed leaves what was learnt. Not where several threads may call MPI at once, nor in a profiled run.
void begin_checkpoints();

}  // namespace starling
