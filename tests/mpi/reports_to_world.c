/* Loaded in front of an MPI library, which then reports a broadcast's wrong root to the error handler of
 * MPI_COMM_WORLD, whatever the communicator. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <mpi.h>

typedef int bcast_function(void*, int, MPI_Datatype, int, MPI_Comm);

int PMPI_Bcast(void* buffer, int count, MPI_Datatype type, int root, MPI_Comm comm) {
  bcast_function* go_on;
  *(void**)&go_on = dlsym(RTLD_NEXT, "PMPI_Bcast");
  int ranks;
  PMPI_Comm_size(comm, &ranks);
  if (root >= 0 && root < ranks) return go_on(buffer, count, type, root, comm);
  PMPI_Comm_call_errhandler(MPI_COMM_WORLD, MPI_ERR_ROOT);
  return MPI_ERR_ROOT;
}
