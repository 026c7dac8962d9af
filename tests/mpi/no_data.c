/* One rank has no data, and leaves its type MPI_DATATYPE_NULL or not committed, or its buffer MPI_IN_PLACE where MPI
 * does not allow that. Only calls that the MPI library takes, as a PMPI call on MPI_COMM_SELF shows. Argument: number
 * of repetitions. Rank 0 prints how many kinds of calls the library took, and how many results were wrong. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#include "any_collective.h"

enum oddity { no_type, in_place, uncommitted, oddities };

static int sent[most_ranks], received[most_ranks];
static MPI_Datatype not_committed;

static int makes_sense(enum collective which, enum oddity oddity) {
  if (oddity == in_place) return which != allgatherv; /* it may be in place there */
  if (oddity == uncommitted) return !reduces(which);  /* no operator of MPI's is for derived types */
#ifdef OPEN_MPI
  return 1;
#else
  return !reduces(which) && which != bcast; /* MPICH reads the type */
#endif
}

/* `odd`: this rank has no data. `without`: the rank that has none. */
static int call(enum collective which, enum oddity oddity, int odd, int without, int root, MPI_Comm comm, int native) {
  int rank, ranks, counts[most_ranks], of_all[most_ranks], places[most_ranks], bytes[most_ranks];
  MPI_Datatype types[most_ranks];
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &ranks);
  const MPI_Datatype type = !odd || oddity == in_place ? MPI_INT
                            : oddity == no_type        ? MPI_DATATYPE_NULL
                                                       : not_committed;
  const int has_data = is_uneven(which) && rank != without;
  for (int i = 0; i < ranks; ++i) {
    of_all[i] = i != without;
    counts[i] = has_data && i != without;
    places[i] = i;
    bytes[i] = i * (int)sizeof(int);
    types[i] = type;
  }
  const int misplaced = odd && oddity == in_place;
  const int in_send = which == bcast || ((which == reduce || which == gather || which == gatherv) && rank != root) ||
                      ((which == scatter || which == scatterv) && rank == root);
  struct side from = {sent, has_data, counts, places, bytes, type, types}, to = from;
  to.buffer = received;
  if (misplaced) (in_send ? &from : &to)->buffer = MPI_IN_PLACE;
  if (which == scatterv) from.counts = of_all, from.type = MPI_INT;
  if (which == gatherv || which == allgatherv) to.counts = of_all, to.type = MPI_INT;
  return call_collective(which, from, to, MPI_SUM, root, comm, native);
}

static int is_right(enum collective which, int rank, int ranks, int without, int root) {
  for (int i = 0; i < ranks; ++i) {
    int expected = -1;
    if (which == scatterv && i == 0 && rank != without) expected = value(root, rank);
    if ((which == allgatherv || (which == gatherv && rank == root)) && i != without) expected = value(i, 0);
    if (which >= alltoallv && i != without && rank != without) expected = value(i, rank);
    if (received[i] != expected) return 0;
  }
  return 1;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int times = argc > 1 ? atoi(argv[1]) : 10;
  int rank, ranks, kinds = 0, wrong = 0, all;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  MPI_Type_contiguous(1, MPI_INT, &not_committed);
  MPI_Comm alone;
  MPI_Comm_dup(MPI_COMM_SELF, &alone);
  MPI_Comm_set_errhandler(alone, MPI_ERRORS_RETURN);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN); /* Open MPI reports some errors to this one */
  for (int which = 0; which < collectives; ++which)
    for (int oddity = 0; oddity < oddities; ++oddity) {
      if (!makes_sense(which, oddity) || call(which, oddity, 1, 0, 0, alone, 1) != MPI_SUCCESS) continue;
      ++kinds;
      for (int i = 0; i < times; ++i) {
        /* A root that has no data itself has the others' in the uneven ones. */
        /* The same rank for long, so that it would fall behind if its calls did not count; then each in turn. */
        const int without = i < times / 2 ? 1 % ranks : i % ranks,
                  root = is_uneven(which) ? (without + 1) % ranks : i / 2 % ranks;
        for (int place = 0; place < ranks; ++place) {
          sent[place] = value(rank, place);
          received[place] = -1;
        }
        const int error = call(which, oddity, rank == without, without, root, MPI_COMM_WORLD, 0);
        wrong += error != MPI_SUCCESS || !is_right(which, rank, ranks, without, root);
      }
    }
  PMPI_Reduce(&wrong, &all, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
  if (rank == 0) printf("%d kinds, %d wrong\n", kinds, all);
  fflush(stdout);
  MPI_Type_free(&not_committed);
  return MPI_Finalize();
}
