/* A link of known speed between two ranks, as a tool behind Starling: an exchange of Starling's, and a native
 * alltoallv, wait for each of their bytes before they begin. `NATIVE_SLOWER=N` makes the native one N times as slow as
 * an exchange, `MESSAGES_SLOWER=N` an exchange N times as slow as the native one, whatever the machine. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <mpi.h>
#include <stdlib.h>
#include <time.h>

enum { ns_latency = 2000000, ns_per_byte = 400 };

static void travel(long bytes, const char* slower) {
  const char* const times = getenv(slower);
  const long ns = (ns_latency + ns_per_byte * bytes) * (times ? atol(times) : 1);
  const struct timespec wait = {ns / 1000000000, ns % 1000000000};
  nanosleep(&wait, NULL);
}

static long bytes_of(int count, MPI_Datatype type) {
  int size;
  PMPI_Type_size(type, &size);
  return (long)count * size;
}

typedef int exchange_function(const void*, int, MPI_Datatype, int, int, void*, int, MPI_Datatype, int, int, MPI_Comm,
                              MPI_Status*);

int PMPI_Sendrecv(const void* from, int gives, MPI_Datatype type, int to, int tag, void* into, int gets,
                  MPI_Datatype as, int source, int other_tag, MPI_Comm comm, MPI_Status* status) {
  exchange_function* go_on;
  *(void**)&go_on = dlsym(RTLD_NEXT, "PMPI_Sendrecv");
  travel(bytes_of(gives, type), "MESSAGES_SLOWER");
  return go_on(from, gives, type, to, tag, into, gets, as, source, other_tag, comm, status);
}

typedef int alltoallv_function(const void*, const int*, const int*, MPI_Datatype, void*, const int*, const int*,
                               MPI_Datatype, MPI_Comm);

int MPI_Alltoallv(const void* from, const int* gives, const int* at, MPI_Datatype type, void* into, const int* gets,
                  const int* places, MPI_Datatype as, MPI_Comm comm) {
  alltoallv_function* go_on;
  *(void**)&go_on = dlsym(RTLD_NEXT, "MPI_Alltoallv");
  int rank, ranks;
  PMPI_Comm_rank(comm, &rank);
  PMPI_Comm_size(comm, &ranks);
  for (int peer = 0; peer < ranks; ++peer)
    if (peer != rank) travel(bytes_of(gives[peer], type), "NATIVE_SLOWER");
  return go_on(from, gives, at, type, into, gets, places, as, comm);
}
