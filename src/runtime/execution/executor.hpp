#pragma once

#include <mpi.h>

#include <span>

#include "runtime/execution/running.hpp"

namespace starling {

/// Carries out a program: the executor of blocking collectives. `natives[i]` is the communicator of the program's i-th
/// native part. Returns an MPI error code: the first error, after which everything else is done all the same, for other
/// ranks wait for it. No request is left behind.
int execute(const Program& program, const Buffers& buffers, const Unit& unit, MPI_Op op, const Transport& transport,
            std::span<const MPI_Comm> natives);

/// Begins a step of an operation that does not block: does its local work, or posts what it has to post, whatever
/// fails, in the first requests_in() requests of the transport, null where one could not be posted. The step ends when
/// these are complete. Returns an MPI error code.
int begin(const Running& run, const Step& step);
/// How many requests a step that does not block takes.
int requests_in(const Program& program, const Step& step);

}  // namespace starling
