#pragma once

#include <mpi.h>

#include <span>

#include "runtime/execution/running.hpp"

namespace starling {

/// Carries out a program: the executor of blocking collectives. `natives[i]` is the communicator of the program's i-th
/// native part. Returns an MPI error code: the first error, after which everything else is done all the same, for other
/// ranks wait for it. No request is left behind.
int execute(const Program& program, const Buffers& buffers, const Unit& unit, MPI_Op op, const Wires& wires,
            std::span<const MPI_Comm> natives);

/// One step in two halves, for operations that do not block. `begin` posts what the step has to post: its messages, in
/// the first messages_in(step) requests of the wires, null where one could not be posted. `finish` waits for them and
/// does everything else; it does not wait where all of those requests are complete and the step is no native part.
/// Both return an MPI error code, and `finish` is called whatever `begin` returned.
int begin(const Running& run, const Step& step);
int finish(const Running& run, const Step& step);

}  // namespace starling
