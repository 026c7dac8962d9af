/* One rank dies before a call of a collective, or inside of it while the others wait there: `dies COLLECTIVE PLACE CALL
 * FILE`. Inside a reduction rank 0 dies, in the program's own operator. Before a call it is the last rank. It leaves an
 * empty file. */
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { calls = 100, count = 1000, most_ranks = 16 };

static int rank, ranks, call, death, is_inside;
static const char* will;
static int in[count * most_ranks], out[count * most_ranks];

static void die(void) {
  FILE* const file = fopen(will, "w");
  if (file != NULL) fclose(file);
  raise(SIGKILL);
}

static void add(void* from, void* into, int* length, MPI_Datatype* type) {
  (void)type;
  if (is_inside && rank == 0 && call == death) die();
  for (int i = 0; i < *length; ++i) ((int*)into)[i] += ((int*)from)[i];
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (argc != 5 || ranks > most_ranks) MPI_Abort(MPI_COMM_WORLD, 2);
  const char* const which = argv[1];
  is_inside = strcmp(argv[2], "inside") == 0;
  death = atoi(argv[3]);
  will = argv[4];
  MPI_Op sum;
  MPI_Op_create(add, 1, &sum);
  for (call = 0; call < calls; ++call) {
    if (!is_inside && call == death && rank == ranks - 1) die();
    if (strcmp(which, "allreduce") == 0) {
      MPI_Allreduce(in, out, count, MPI_INT, sum, MPI_COMM_WORLD);
    } else if (strcmp(which, "reduce") == 0) {
      MPI_Reduce(in, out, count, MPI_INT, sum, 0, MPI_COMM_WORLD);
    } else if (strcmp(which, "bcast") == 0) {
      MPI_Bcast(in, count, MPI_INT, call % ranks, MPI_COMM_WORLD);
    } else if (strcmp(which, "alltoall") == 0) {
      MPI_Alltoall(in, count, MPI_INT, out, count, MPI_INT, MPI_COMM_WORLD);
    } else {
      MPI_Barrier(MPI_COMM_WORLD);
    }
  }
  printf("nobody died\n");
  return MPI_Finalize();
}
