/* Prints of each COLLECTIVE:BYTES how many messages rank 0 sent by UCX in one call, by which algorithms can be told
   apart. BYTES as Starling counts them. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static long sent;

/* MPICH 4 sends by this function where ranks do not share memory (MPIR_CVAR_NOLOCAL); other libraries do not call it.
 */
void* ucp_tag_send_nbx(void* to, const void* data, size_t count, unsigned long tag, const void* how) {
  typedef void* (*Send)(void*, const void*, size_t, unsigned long, const void*);
  static Send next;
  if (next == NULL) *(void**)&next = dlsym(RTLD_NEXT, "ucp_tag_send_nbx");
  ++sent;
  return next(to, data, count, tag, how);
}

static void call(const char* name, const char* out, char* in, int bytes) {
  const MPI_Comm all = MPI_COMM_WORLD;
  if (strcmp(name, "allgather") == 0) MPI_Allgather(out, bytes, MPI_CHAR, in, bytes, MPI_CHAR, all);
  if (strcmp(name, "allreduce") == 0) MPI_Allreduce(out, in, bytes, MPI_SIGNED_CHAR, MPI_SUM, all);
  if (strcmp(name, "alltoall") == 0) MPI_Alltoall(out, bytes, MPI_CHAR, in, bytes, MPI_CHAR, all);
  if (strcmp(name, "bcast") == 0) MPI_Bcast(in, bytes, MPI_CHAR, 0, all);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank;
  int ranks;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  for (int i = 1; i < argc; ++i) {
    char* const colon = strchr(argv[i], ':');
    *colon = '\0';
    const int bytes = atoi(colon + 1);
    char* const out = calloc((size_t)bytes, (size_t)ranks);
    char* const in = calloc((size_t)bytes, (size_t)ranks);
    call(argv[i], out, in, bytes); /* connections are made by the first messages */
    MPI_Barrier(MPI_COMM_WORLD);
    const long before = sent;
    call(argv[i], out, in, bytes);
    if (rank == 0) printf("%s:%d %ld\n", argv[i], bytes, sent - before);
    free(in);
    free(out);
  }
  MPI_Finalize();
  return 0;
}
