#pragma once

#include <mpi.h>

// What MPI libraries differ in so much that code for one does not compile, or is wrong, for another. Nothing else in
// the runtime asks which MPI it is built for.

/// SimGrid's SMPI: MPI on a simulated network. Its ranks are contexts of one process, and its clock is the network's.
#if defined(SMPI_H)
#define STARLING_SIMULATED 1
#else
#define STARLING_SIMULATED 0
#endif

/// MPI_Comm_spawn and what belongs to it; SMPI ends a program that asks for its parent.
#define STARLING_HAS_SPAWN (!STARLING_SIMULATED)

/// Predefined handles are addresses of objects in the MPI library: those of types and operators tell by themselves
/// whether they are MPI's or the program's.
#if defined(OPEN_MPI) || STARLING_SIMULATED
#define STARLING_HANDLES_ARE_OBJECTS 1
#else
#define STARLING_HANDLES_ARE_OBJECTS 0
#endif

/// Storage of a local variable that each thread has for itself. Simulated ranks may share one thread, and have one
/// each: SMPI gives every rank its own copy of the program's variables, but not of its threads'.
#if STARLING_SIMULATED
#define STARLING_OF_THREAD static
#else
#define STARLING_OF_THREAD thread_local
#endif
