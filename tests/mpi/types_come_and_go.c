/* Datatypes that are made and freed, whose handles are reused: with other sizes and layouts, not committed yet, freed
 * while other types are made of them. Prints how many results are wrong, and by how many KiB memory grew. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>

enum { most = 8 };

static int rank, faults, made;
static MPI_Aint seen[64];

static void expect(int right, const char* what, int round) {
  if (right) return;
  if (faults++ < 10) fprintf(stderr, "rank %d, round %d: %s\n", rank, round, what);
}

/* `ints` values, one at every `stride`-th place. */
static void broadcast(MPI_Datatype type, int ints, int stride, int round) {
  int data[3 * most];
  for (int i = 0; i < 3 * most; ++i) data[i] = rank == 0 ? round + i : -1;
  const int error = MPI_Bcast(data, 1, type, 0, MPI_COMM_WORLD);
  expect(error == MPI_SUCCESS, "the call fails", round);
  for (int i = 0; i < 3 * most; ++i) {
    const int moved = i % stride == 0 && i / stride < ints;
    expect(data[i] == (moved || rank == 0 ? round + i : -1), "another number than should be", round);
  }
}

static MPI_Datatype made_for(int round, int* ints, int* stride) {
  MPI_Datatype type;
  *ints = 1 + round % most;
  *stride = 1 + round / most % 3;
  if (*stride == 1 && round % 2) {
    MPI_Type_contiguous(*ints, MPI_INT, &type);
  } else {
    MPI_Type_vector(*ints, 1, *stride, MPI_INT, &type);
  }
  return type;
}

/* Counts how many different handles were seen. */
static void count_handle(MPI_Datatype type) {
  MPI_Aint handle = (MPI_Aint)type;
  for (int i = 0; i < made; ++i)
    if (seen[i] == handle) return;
  if (made < 64) seen[made++] = handle;
}

static long peak(void) {
  struct rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_maxrss;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  const int rounds = argc > 1 ? atoi(argv[1]) : 1000;
  long before = 0;
  for (int round = 0; round < rounds; ++round) {
    /* A root that runs ahead would fill memory with messages that wait. */
    if (round % 8 == 0) PMPI_Barrier(MPI_COMM_WORLD);
    if (round == rounds / 5) before = peak();
    int ints, stride;
    MPI_Datatype type = made_for(round, &ints, &stride), copy;
    count_handle(type);
    if (round % 7 == 0) {
      int data[3 * most] = {0};
      expect(MPI_Bcast(data, 1, type, 0, MPI_COMM_WORLD) != MPI_SUCCESS, "a type is taken that is not committed",
             round);
    }
    MPI_Type_commit(&type);
    for (int call = 0; call < 3; ++call) broadcast(type, ints, stride, round);
    MPI_Type_dup(type, &copy);
    MPI_Type_free(&type);
    MPI_Type_commit(&copy);
    broadcast(copy, ints, stride, round);
    MPI_Type_free(&copy);
  }
  const long grown = peak() - before;
  int total;
  PMPI_Allreduce(&faults, &total, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (rank == 0) printf("%d types by %d handles, %ld KiB more, %d faults\n", rounds, made, grown, total);
  MPI_Finalize();
  return total ? 1 : 0;
}
