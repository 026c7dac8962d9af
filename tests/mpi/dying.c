/* Collectives on communicators that are being freed: a library keeps its state in an attribute, whose delete function
 * calls a barrier and a sum before it frees the state. Argument: when the attribute is set, `before` the communicator's
 * first collective, `after` it, or `mixed`, which is before on rank 0 and after on the others. Rank 0 prints how many
 * results were wrong and by how many KiB the fullest rank's memory grew after the first quarter. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { rounds = 48, shapes = 6 };

static long wrong;
static int inner_key;

static int sum_to(int n) {
  return n * (n + 1) / 2;
}

/* Collectives whose results depend on the group of ranks and its order. */
static void use(MPI_Comm comm) {
  int rank, ranks, everyone[64];
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &ranks);
  int mine = rank + 1, sum = 0, said = rank == ranks - 1 ? 77 : -1;
  MPI_Allreduce(&mine, &sum, 1, MPI_INT, MPI_SUM, comm);
  MPI_Bcast(&said, 1, MPI_INT, ranks - 1, comm);
  MPI_Allgather(&mine, 1, MPI_INT, everyone, 1, MPI_INT, comm);
  MPI_Barrier(comm);
  wrong += sum != sum_to(ranks) || said != 77;
  for (int i = 0; i < ranks; ++i) wrong += everyone[i] != i + 1;
  MPI_Request request;
  sum = 0;
  MPI_Iallreduce(&mine, &sum, 1, MPI_INT, MPI_SUM, comm, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  wrong += sum != sum_to(ranks);
}

/* It may give the communicator another name: each other time, on each rank. */
static int delete_inner(MPI_Comm comm, int key, void* value, void* extra) {
  static int times;
  (void)key, (void)value, (void)extra;
  if (times++ % 2) MPI_Comm_set_name(comm, "of a library");
  use(comm);
  return MPI_SUCCESS;
}

#ifdef FOR_FORTRAN

void attach_to_(const MPI_Fint* comm);
MPI_Fint wrong_results_(void);

/* Gives a communicator of a Fortran program an attribute. */
void attach_to_(const MPI_Fint* comm) {
  static int round;
  if (round++ == 0) MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, delete_inner, &inner_key, NULL);
  MPI_Comm_set_attr(MPI_Comm_f2c(*comm), inner_key, &inner_key);
}

MPI_Fint wrong_results_(void) {
  return (MPI_Fint)wrong;
}

#else

static int outer_key, spare_key;

/* The value is a communicator of the library's own, with an attribute itself. */
static int delete_outer(MPI_Comm comm, int key, void* value, void* extra) {
  (void)key, (void)extra;
  MPI_Comm* const own = value;
  use(comm);
  use(*own);
  MPI_Comm_free(own);
  free(own);
  use(comm);
  return MPI_SUCCESS;
}

/* In half of the rounds only a value, so that the next communicator reuses the handle of the freed one. */
static void attach(MPI_Comm comm, int plain) {
  if (plain) {
    MPI_Comm_set_attr(comm, inner_key, &inner_key);
    return;
  }
  MPI_Comm* const own = malloc(sizeof *own);
  MPI_Comm_dup(comm, own);
  MPI_Comm_set_attr(*own, inner_key, &inner_key);
  MPI_Comm_set_attr(comm, outer_key, own);
}

/* Each turn has communicators with other ranks or another order, so that handles are reused for other groups. */
static MPI_Comm made_in(int round, int rank, int ranks) {
  const int colours[shapes] = {0, rank / 2, rank % 2, 0, rank < ranks - 1 ? 0 : MPI_UNDEFINED, rank > 0};
  MPI_Comm comm;
  MPI_Comm_split(MPI_COMM_WORLD, colours[round % shapes], round % 3 ? rank : -rank, &comm);
  return comm;
}

static long resident_kib(void) {
  long pages = 0;
  FILE* file = fopen("/proc/self/statm", "r");
  if (file == NULL || fscanf(file, "%*d %ld", &pages) != 1) abort();
  fclose(file);
  return pages * (sysconf(_SC_PAGESIZE) / 1024);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  if (argc != 2) MPI_Abort(MPI_COMM_WORLD, 2);
  int rank, ranks;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const int is_mixed = strcmp(argv[1], "mixed") == 0;
  MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, delete_outer, &outer_key, NULL);
  MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, delete_inner, &inner_key, NULL);
  MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, delete_inner, &spare_key, NULL);
  long before = 0;
  for (int round = 0; round < rounds; ++round) {
    if (round == rounds / 4) before = resident_kib();
    MPI_Comm comm = made_in(round, rank, ranks);
    if (comm == MPI_COMM_NULL) continue;
    int rank_here;
    MPI_Comm_rank(comm, &rank_here);
    const int early = is_mixed ? rank_here == 0 : strcmp(argv[1], "before") == 0;
    if (is_mixed) {
      /* Attributes are deleted in an order that depends on the order in which they were set; this changes it. */
      if (early) MPI_Comm_set_attr(comm, inner_key, &inner_key);
      use(comm);
      if (!early) MPI_Comm_set_attr(comm, inner_key, &inner_key);
    } else {
      if (early) attach(comm, round % 4 < 2);
      use(comm);
      use(comm);
      if (!early) attach(comm, round % 4 < 2);
    }
    if (round % 3 == 0) {
      MPI_Comm_set_attr(comm, spare_key, &spare_key);
      MPI_Comm_delete_attr(comm, spare_key); /* a delete function of a communicator that lives on */
    }
    if (round % 2)
      MPI_Comm_free(&comm);
    else
      MPI_Comm_disconnect(&comm);
  }
  long mine[2] = {wrong, resident_kib() - before}, all[2];
  MPI_Reduce(mine, all, 1, MPI_LONG, MPI_SUM, 0, MPI_COMM_WORLD);
  MPI_Reduce(mine + 1, all + 1, 1, MPI_LONG, MPI_MAX, 0, MPI_COMM_WORLD);
  if (rank == 0) printf("%ld wrong, %ld KiB more\n", all[0], all[1]);
  MPI_Comm_set_attr(MPI_COMM_SELF, inner_key, &inner_key); /* deleted when MPI_Finalize begins */
  return MPI_Finalize();
}

#endif
