// An MPI tool: counts calls, and prints their number at the end. It wraps MPI_* and calls PMPI_*, like most profilers;
// with CHAINS, it calls the next MPI_*; with WRAPS_PMPI, it wraps one of PMPI_*.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <mpi.h>
#include <stdio.h>

static int inits, allreduces, sizes;

#if defined(WRAPS_PMPI)

typedef int size_function(MPI_Comm, int*);

int PMPI_Comm_size(MPI_Comm comm, int* size) {
  ++sizes;
  size_function* go_on;
  *(void**)&go_on = dlsym(RTLD_NEXT, "PMPI_Comm_size");
  return go_on(comm, size);
}

#else

#if defined(CHAINS)
#define GOES_ON(name) dlsym(RTLD_NEXT, "MPI_" #name)
#else
#define GOES_ON(name) dlsym(RTLD_DEFAULT, "PMPI_" #name)
#endif

typedef int init_function(int*, char***);
typedef int allreduce_function(const void*, void*, int, MPI_Datatype, MPI_Op, MPI_Comm);

int MPI_Init(int* argc, char*** argv) {
  ++inits;
  init_function* go_on;
  *(void**)&go_on = GOES_ON(Init);
  return go_on(argc, argv);
}

int MPI_Allreduce(const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype, MPI_Op op, MPI_Comm comm) {
  ++allreduces;
  allreduce_function* go_on;
  *(void**)&go_on = GOES_ON(Allreduce);
  return go_on(sendbuf, recvbuf, count, datatype, op, comm);
}

#endif

__attribute__((destructor)) static void tell(void) {
  if (inits) fprintf(stderr, "tool: %d init %d allreduce\n", inits, allreduces);
  if (sizes) fprintf(stderr, "tool: saw the sizes of communicators\n");
}
