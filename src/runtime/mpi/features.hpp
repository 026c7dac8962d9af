#pragma once

#include <mpi.h>

// Differences between MPI libraries that make code for one wrong, or not compile, for another. Nothing else in the
// runtime depends on the MPI it is built for.

/// SimGrid's SMPI: MPI on a simulated network. Its ranks are contexts of one process, and its clock is the network's.
#if defined(SMPI_H)
#define STARLING_SIMULATED 1
#else
#define STARLING_SIMULATED 0
#endif

/// MPI_Comm_spawn and related calls; SMPI ends a program that calls MPI_Comm_get_parent.
#define STARLING_HAS_SPAWN (!STARLING_SIMULATED)

/// MPI_Topo_test; SMPI ends a program that calls it.
#define STARLING_HAS_TOPO_TEST (!STARLING_SIMULATED)

/// Predefined handles are addresses of objects in the MPI library: the address of a datatype or operator shows whether
/// it is predefined.
#if defined(OPEN_MPI) || STARLING_SIMULATED
#define STARLING_HANDLES_ARE_OBJECTS 1
#else
#define STARLING_HANDLES_ARE_OBJECTS 0
#endif

/// MPI_Reduce whose root has its data in place. Between ranks of one node MPICH 4.0 takes MPI_IN_PLACE for an address,
/// after some calls.
#if defined(OPEN_MPI) || STARLING_SIMULATED
#define STARLING_REDUCES_IN_PLACE 1
#else
#define STARLING_REDUCES_IN_PLACE 0
#endif

/// Storage of a local variable of each thread. Simulated ranks may share a thread, so there it is one for each rank:
/// SMPI gives each rank its own copy of static variables, but not of thread-local ones.
#if STARLING_SIMULATED
#define STARLING_OF_THREAD static
#else
#define STARLING_OF_THREAD thread_local
#endif
