/* An MPI tool on the PMPI names, which sees Starling's own MPI calls. Counts communicators that are made through PMPI
 * and not freed, error handlers that are set through PMPI after MPI_Init on other communicators, the messages of
 * one number that are sent through PMPI_Send, as ranks agree by, and calls of PMPI_Allreduce; prints all at the end.
 * With SLOW_PARTS=N in the environment a native allgather or barrier on fewer ranks than the program's is made N times,
 * so algorithms with such parts are slow. Loaded behind Starling, or in front of it. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <mpi.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

enum { most = 8192 };

static MPI_Comm made[most];
static int count, at_init, largest, swapped, agreements;
static atomic_int sums;
static int is_first = 1;

static void* next(const char* name) {
  return dlsym(RTLD_NEXT, name);
}

static int place_of(MPI_Comm comm) {
  int place = 0;
  while (place < count && made[place] != comm) ++place;
  return place;
}

static void keep(int error, const MPI_Comm* comm) {
  if (error != MPI_SUCCESS || *comm == MPI_COMM_NULL || count == most) return;
  made[count++] = *comm;
  if (count > largest) largest = count;
}

#define WRAP(name, parameters, arguments) \
  typedef int name##_function parameters; \
  int name parameters {                   \
    name##_function* go_on;               \
    *(void**)&go_on = next(#name);        \
    const int error = go_on arguments;    \
    keep(error, into);                    \
    return error;                         \
  }

WRAP(PMPI_Comm_dup, (MPI_Comm comm, MPI_Comm* into), (comm, into))
WRAP(PMPI_Comm_dup_with_info, (MPI_Comm comm, MPI_Info info, MPI_Comm* into), (comm, info, into))
WRAP(PMPI_Comm_create, (MPI_Comm comm, MPI_Group group, MPI_Comm* into), (comm, group, into))
WRAP(PMPI_Comm_create_group, (MPI_Comm comm, MPI_Group group, int tag, MPI_Comm* into), (comm, group, tag, into))
WRAP(PMPI_Comm_split, (MPI_Comm comm, int colour, int key, MPI_Comm* into), (comm, colour, key, into))
WRAP(PMPI_Comm_split_type, (MPI_Comm comm, int type, int key, MPI_Info info, MPI_Comm* into),
     (comm, type, key, info, into))

typedef int free_function(MPI_Comm*);

int PMPI_Comm_free(MPI_Comm* comm) {
  free_function* go_on;
  *(void**)&go_on = next("PMPI_Comm_free");
  const int place = place_of(*comm);
  if (place < count) made[place] = made[--count];
  return go_on(comm);
}

typedef int set_function(MPI_Comm, MPI_Errhandler);

int PMPI_Comm_set_errhandler(MPI_Comm comm, MPI_Errhandler handler) {
  set_function* go_on;
  *(void**)&go_on = next("PMPI_Comm_set_errhandler");
  if (place_of(comm) == count) ++swapped;
  return go_on(comm, handler);
}

typedef int send_function(const void*, int, MPI_Datatype, int, int, MPI_Comm);

int PMPI_Send(const void* buffer, int elements, MPI_Datatype type, int to, int tag, MPI_Comm comm) {
  send_function* go_on;
  *(void**)&go_on = next("PMPI_Send");
  agreements += elements == 1;
  return go_on(buffer, elements, type, to, tag, comm);
}

typedef int sum_function(const void*, void*, int, MPI_Datatype, MPI_Op, MPI_Comm);

int PMPI_Allreduce(const void* from, void* into, int elements, MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
  sum_function* go_on;
  *(void**)&go_on = next("PMPI_Allreduce");
  ++sums;
  return go_on(from, into, elements, type, op, comm);
}

static int times_on(MPI_Comm comm) {
  const char* const wished = getenv("SLOW_PARTS");
  int all, here;
  PMPI_Comm_size(MPI_COMM_WORLD, &all);
  PMPI_Comm_size(comm, &here);
  return wished && here < all ? atoi(wished) : 1;
}

typedef int allgather_function(const void*, int, MPI_Datatype, void*, int, MPI_Datatype, MPI_Comm);

int PMPI_Allgather(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, int recvcount,
                   MPI_Datatype recvtype, MPI_Comm comm) {
  allgather_function* go_on;
  *(void**)&go_on = next("PMPI_Allgather");
  int error = MPI_SUCCESS;
  for (int i = times_on(comm); i > 0 && error == MPI_SUCCESS; --i)
    error = go_on(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm);
  return error;
}

/* Communicators made by MPI_Init are counted at the first call after it. */
typedef int size_function(MPI_Comm, int*);

int MPI_Comm_size(MPI_Comm comm, int* size) {
  size_function* go_on;
  *(void**)&go_on = dlsym(RTLD_DEFAULT, "PMPI_Comm_size");
  if (is_first) at_init = count, swapped = 0; /* the program has not set any handler yet */
  is_first = 0;
  return go_on(comm, size);
}

__attribute__((destructor)) static void tell(void) {
  if (!is_first)
    fprintf(stderr, "tool: %d at first, %d at most, %d left, %d handlers set, %d of one number, %d sums\n", at_init,
            largest, count, swapped, agreements, sums);
}
