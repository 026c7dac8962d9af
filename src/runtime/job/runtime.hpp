#pragma once

#include <mpi.h>

#include <optional>

#include "runtime/call/call.hpp"

namespace starling {

/// Called on every rank before MPI_Init or MPI_Init_thread.
void before_init();

/// Called on every rank after MPI_Init or MPI_Init_thread: reads the settings, agrees on them with the other ranks and
/// sets up Starling. Never fails: what can't be used is reported on stderr and left out.
void after_init();

/// Called on every rank before MPI_Finalize: gathers and writes the run record, frees everything.
void before_finalize();

/// Called before the application frees `comm`. If MPI refuses the handle, it has called the error handler: what it
/// returned then is what the program gets.
std::optional<int> before_free(MPI_Comm comm);

/// Counts a call that passes through unchanged: one of `operation_names` (generated from the prototypes) on `comm`.
/// Returns what `before_free` does.
std::optional<int> count(int operation, MPI_Comm comm);

}  // namespace starling
