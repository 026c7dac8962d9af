/* One rank makes a call that the MPI library refuses at once, then all ranks make it correctly. A PMPI call on
 * MPI_COMM_SELF shows whether the library refuses a call, and how often it calls the error handler. Argument: number of
 * repetitions. Rank 0 prints how many calls were refused and how many things went wrong. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "any_collective.h"

enum { count = 2 };

static const char* const names[] = {
    "bcast",          "reduce",    "allreduce",  "scan",     "exscan",  "reduce_scatter_block",
    "reduce_scatter", "allgather", "allgatherv", "gather",   "gatherv", "scatter",
    "scatterv",       "alltoall",  "alltoallv",  "alltoallw"};

enum fault {
  none,
  negative_count,
  no_type,
  uncommitted_type,
  bad_root,
  no_operator,
  other_operator,
  operator_of_wide_type,
  aliased,
  no_buffer,
  no_receive_buffer,
  only_in_place,
  misplaced_in_place,
  nothing_at_null,
  nothing_without_places,
  nothing_of_no_type,
  faults
};

static const char* const words[] = {"nothing wrong",
                                    "a negative count",
                                    "no type",
                                    "an uncommitted type",
                                    "a bad root",
                                    "no operator",
                                    "an operator that the type has not",
                                    "an operator for a type of terabytes",
                                    "aliased buffers",
                                    "no buffer",
                                    "no receive buffer",
                                    "no receive buffer but MPI_IN_PLACE",
                                    "a misplaced MPI_IN_PLACE",
                                    "no elements, and no buffers",
                                    "no elements, and no displacements",
                                    "no elements, and no type"};

static int sent[2 * count * most_ranks], received[2 * count * most_ranks];
static MPI_Datatype uncommitted, wide;
static int handler_calls; /* calls of the error handler */

static void on_error(MPI_Comm* comm, int* error, ...) {
  (void)comm, (void)error;
  ++handler_calls;
}

#ifdef OPEN_MPI
enum { on_open_mpi = 1 };
#else
enum { on_open_mpi = 0 };
#endif

static int makes_sense(enum collective which, enum fault fault) {
  switch (fault) {
    case bad_root: return is_rooted(which);
    case no_operator:
    case other_operator:
    case operator_of_wide_type: return reduces(which);
    case aliased: return which != bcast;
    case misplaced_in_place: return which != exscan || !on_open_mpi; /* it does not look at that buffer on rank 0 */
    case only_in_place: return which == reduce_scatter && !on_open_mpi;
    case nothing_without_places: return is_uneven(which) && on_open_mpi; /* others crash */
#ifdef OPEN_MPI
    case no_buffer:
    case no_receive_buffer: return 0; /* it does not check, and crashes */
#else
    case negative_count:
    case no_type: return !reduces(which); /* nor does MPICH here */
    case nothing_of_no_type: return !reduces(which) && which != bcast;
#endif
    default: return 1;
  }
}

static int call(enum collective which, enum fault fault, MPI_Comm comm, int root, int native) {
  int rank, ranks;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &ranks);
  const int from_root = which == scatter || which == scatterv;
  void* in = fault == no_buffer || fault == nothing_at_null ? NULL : sent;
  void* out = fault == no_receive_buffer || fault == only_in_place || fault == nothing_at_null ? NULL : received;
  if (fault == only_in_place || (fault == misplaced_in_place && (from_root || which == bcast))) in = MPI_IN_PLACE;
  if (fault == misplaced_in_place && !from_root) out = MPI_IN_PLACE;
  const int one_block = which >= allgather && which <= gatherv;
  if (fault == aliased) in = received + (one_block ? rank * count : 0);
  if (fault == aliased && from_root) out = received + rank * count;
  int n = fault == negative_count ? -1 : fault >= nothing_at_null ? 0 : count;
  int counts[most_ranks], in_elements[most_ranks], in_bytes[most_ranks];
  int* const places = fault == nothing_without_places ? NULL : in_elements;
  int* const bytes = fault == nothing_without_places ? NULL : in_bytes;
  MPI_Datatype type = fault == no_type || fault == nothing_of_no_type ? MPI_DATATYPE_NULL
                      : fault == uncommitted_type                     ? uncommitted
                      : fault == operator_of_wide_type                ? wide
                      : fault == other_operator                       ? MPI_FLOAT
                                                                      : MPI_INT;
  MPI_Datatype types[most_ranks];
  MPI_Op op = fault == no_operator ? MPI_OP_NULL : fault == other_operator ? MPI_BAND : MPI_SUM;
  if (fault == bad_root) root = ranks + 7;
  for (int i = 0; i < ranks; ++i) {
    counts[i] = n;
    in_elements[i] = i * count;
    in_bytes[i] = i * count * (int)sizeof(int);
    types[i] = type;
  }
  const struct side both = {NULL, n, counts, places, bytes, type, types};
  struct side from = both, to = both;
  from.buffer = in;
  to.buffer = out;
  return call_collective(which, from, to, op, root, comm, native);
}

/* The sum of value(rank, place) over ranks 0 to `last`. */
static int sum(int last, int place) {
  int all = 0;
  for (int i = 0; i <= last; ++i) all += value(i, place);
  return all;
}

static int is_right(enum collective which, int rank, int ranks, int root) {
  int blocks = 1;
  if ((which == allgather || which == allgatherv || which >= alltoall) ||
      ((which == gather || which == gatherv) && rank == root))
    blocks = ranks;
  if ((which == reduce || which == gather || which == gatherv) && rank != root) return 1;
  if (which == exscan && rank == 0) return 1;
  for (int block = 0; block < blocks; ++block)
    for (int i = 0; i < count; ++i) {
      const int place = block * count + i;
      int expected = 0;
      switch (which) {
        case bcast: expected = value(root, i); break;
        case reduce:
        case allreduce: expected = sum(ranks - 1, i); break;
        case scan: expected = sum(rank, i); break;
        case exscan: expected = sum(rank - 1, i); break;
        case reduce_scatter_block:
        case reduce_scatter: expected = sum(ranks - 1, rank * count + i); break;
        case scatter:
        case scatterv: expected = value(root, rank * count + i); break;
        case alltoall:
        case alltoallv:
        case alltoallw: expected = value(block, rank * count + i); break;
        default: expected = value(block, i); break;
      }
      if ((which == bcast ? sent : received)[place] != expected) return 0;
    }
  return 1;
}

static int class_of(int error) {
  int class;
  MPI_Error_class(error, &class);
  return class;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int times = argc > 1 ? atoi(argv[1]) : 10;
  int rank, ranks, refusals = 0, wrong = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  MPI_Comm comm, alone;
  MPI_Errhandler handler;
  MPI_Comm_create_errhandler(on_error, &handler);
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  MPI_Comm_dup(MPI_COMM_SELF, &alone);
  MPI_Comm_set_errhandler(comm, handler);
  MPI_Comm_set_errhandler(alone, handler);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, handler); /* Open MPI reports aliased buffers to this one */
  MPI_Type_contiguous(2, MPI_INT, &uncommitted);
  const int ones[2] = {1, 1};
  const MPI_Aint far[2] = {0, (MPI_Aint)1 << 46};
  const MPI_Datatype ints[2] = {MPI_INT, MPI_INT};
  MPI_Type_create_struct(2, ones, far, ints, &wide);
  MPI_Type_commit(&wide);

  for (int i = 0; i < times * faults * collectives; ++i) {
    const enum collective which = (enum collective)(i % collectives);
    const enum fault fault = (enum fault)(i / collectives % faults);
    const int culprit = (i / collectives + i) % ranks;
    if (fault == none || !makes_sense(which, fault)) continue;
    handler_calls = 0;
    const int native = class_of(call(which, fault, alone, 0, 1));
    const int native_handler_calls = handler_calls;
    if (native == MPI_SUCCESS && handler_calls == 0) continue; /* MPICH 5 returns success after calling the handler */
    if (rank == culprit) {
      handler_calls = 0;
      const int class = class_of(call(which, fault, comm, rank, 0));
      if (class != native || handler_calls != native_handler_calls) {
        ++wrong;
        fprintf(stderr, "rank %d: %s with %s: class %d, the handler called %d times; natively class %d and %d times\n",
                rank, names[which], words[fault], class, handler_calls, native, native_handler_calls);
        if (class == MPI_SUCCESS && handler_calls == 0)
          MPI_Abort(MPI_COMM_WORLD, 4); /* the others wait for one more call */
      }
      ++refusals;
    }
    for (int place = 0; place < count * ranks; ++place) {
      sent[place] = which == bcast && rank != culprit ? -1 : value(rank, place);
      received[place] = -1;
    }
    const int error = call(which, none, comm, culprit, 0);
    if (error != MPI_SUCCESS || !is_right(which, rank, ranks, culprit)) {
      ++wrong;
      fprintf(stderr, "rank %d: %s after %s: class %d, or a wrong result\n", rank, names[which], words[fault],
              class_of(error));
    }
  }
  int mine[2] = {refusals, wrong}, all[2];
  PMPI_Reduce(mine, all, 2, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
  if (rank == 0) printf("%d refused, %d wrong\n", all[0], all[1]);
  fflush(stdout);
  return MPI_Finalize();
}
