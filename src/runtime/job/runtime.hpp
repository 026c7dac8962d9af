#pragma once

#include <mpi.h>

#include "runtime/call/call.hpp"

namespace starling {

/// Called when the MPI library has been initialised by MPI_Init or MPI_Init_thread, on every rank: reads the settings,
/// agrees on them with the other ranks and makes Starling ready. Never fails: what can't be used is said on stderr and
/// left out.
void after_init();

/// Called before the MPI library is finalised, on every rank: gathers and writes the run record, frees everything.
void before_finalize();

/// Called when the application is about to free `comm`.
void before_free(MPI_Comm comm);

/// Counts a call that passes through untouched: one of `operation_names` (generated from the prototypes) on `comm`.
void count(int operation, MPI_Comm comm);

}  // namespace starling
