/* Collectives partly or wholly without data: no elements, or elements of types of size 0, on one side or on both, in
 * place or not, with buffers or without. Every call must succeed, and all data must arrive. Prints how many calls went
 * wrong. */
#include <mpi.h>
#include <stdio.h>

enum { most = 16, rounds = 3 };

static int rank, ranks, faults;
static int none[most], one[most], zeros[most], places[most];

static void expect(int right, const char* what, const char* kind) {
  if (right) return;
  if (faults++ < 10) fprintf(stderr, "rank %d: %s of %s\n", rank, what, kind);
}

static void succeed(int error, const char* what, const char* kind) {
  expect(error == MPI_SUCCESS, what, kind);
}

/* One way to describe no data. */
struct Nothing {
  const char* kind;
  int count;
  MPI_Datatype type;
  void* buffer; /* NULL: no buffer; send and receive buffers differ */
};

/* `from` and `to` are different descriptions of no data. */
static void nothing_at_all(struct Nothing from, struct Nothing to, int root) {
  const int* sends = from.count ? one : none;
  const int* receives = to.count ? one : none;
  const char* kind = from.kind;
  int elsewhere[most] = {0};
  /* MPICH refuses aliased buffers, and two NULL buffers are aliased. */
  if (from.buffer != NULL || to.buffer == NULL) from.buffer = elsewhere;
  MPI_Datatype out[most], in[most];
  for (int i = 0; i < most; ++i) {
    out[i] = from.type;
    in[i] = to.type;
  }
  const MPI_Comm all = MPI_COMM_WORLD;
  succeed(MPI_Bcast(rank == root ? from.buffer : to.buffer, rank == root ? from.count : to.count,
                    rank == root ? from.type : to.type, root, all),
          "bcast", kind);
  succeed(MPI_Allgather(from.buffer, from.count, from.type, to.buffer, to.count, to.type, all), "allgather", kind);
  succeed(MPI_Allgatherv(from.buffer, from.count, from.type, to.buffer, receives, zeros, to.type, all), "allgatherv",
          kind);
  succeed(MPI_Gather(from.buffer, from.count, from.type, to.buffer, to.count, to.type, root, all), "gather", kind);
  succeed(MPI_Gatherv(from.buffer, from.count, from.type, to.buffer, receives, zeros, to.type, root, all), "gatherv",
          kind);
  succeed(MPI_Scatter(from.buffer, from.count, from.type, to.buffer, to.count, to.type, root, all), "scatter", kind);
  succeed(MPI_Scatterv(from.buffer, sends, zeros, from.type, to.buffer, to.count, to.type, root, all), "scatterv",
          kind);
  succeed(MPI_Alltoall(from.buffer, from.count, from.type, to.buffer, to.count, to.type, all), "alltoall", kind);
  succeed(MPI_Alltoallv(from.buffer, sends, zeros, from.type, to.buffer, receives, zeros, to.type, all), "alltoallv",
          kind);
  succeed(MPI_Alltoallw(from.buffer, sends, zeros, out, to.buffer, receives, zeros, in, all), "alltoallw", kind);
}

static void nothing_in_place(struct Nothing data, int root) {
  const int* counts = data.count ? one : none;
  const char* kind = data.kind;
  MPI_Datatype types[most];
  for (int i = 0; i < most; ++i) types[i] = data.type;
  const int at_root = rank == root;
  const MPI_Comm all = MPI_COMM_WORLD;
  succeed(MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, data.buffer, data.count, data.type, all),
          "allgather in place", kind);
  succeed(MPI_Allgatherv(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, data.buffer, counts, zeros, data.type, all),
          "allgatherv in place", kind);
  succeed(MPI_Gather(at_root ? MPI_IN_PLACE : data.buffer, data.count, data.type, data.buffer, data.count, data.type,
                     root, all),
          "gather in place", kind);
  succeed(MPI_Gatherv(at_root ? MPI_IN_PLACE : data.buffer, data.count, data.type, data.buffer, counts, zeros,
                      data.type, root, all),
          "gatherv in place", kind);
  succeed(MPI_Scatter(data.buffer, data.count, data.type, at_root ? MPI_IN_PLACE : data.buffer, data.count, data.type,
                      root, all),
          "scatter in place", kind);
  succeed(MPI_Scatterv(data.buffer, counts, zeros, data.type, at_root ? MPI_IN_PLACE : data.buffer, data.count,
                       data.type, root, all),
          "scatterv in place", kind);
  succeed(MPI_Alltoall(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, data.buffer, data.count, data.type, all),
          "alltoall in place", kind);
  succeed(MPI_Alltoallv(MPI_IN_PLACE, NULL, NULL, MPI_DATATYPE_NULL, data.buffer, counts, zeros, data.type, all),
          "alltoallv in place", kind);
  succeed(MPI_Alltoallw(MPI_IN_PLACE, NULL, NULL, NULL, data.buffer, counts, zeros, types, all), "alltoallw in place",
          kind);
}

static void reduce_nothing(void) {
  int result = 7;
  const MPI_Comm all = MPI_COMM_WORLD;
  succeed(MPI_Allreduce(&rank, &result, 0, MPI_INT, MPI_SUM, all), "allreduce", "no int");
  succeed(MPI_Reduce(&rank, &result, 0, MPI_INT, MPI_SUM, 0, all), "reduce", "no int");
  succeed(MPI_Scan(&rank, &result, 0, MPI_INT, MPI_SUM, all), "scan", "no int");
  succeed(MPI_Exscan(&rank, &result, 0, MPI_INT, MPI_SUM, all), "exscan", "no int");
  succeed(MPI_Reduce_scatter_block(&rank, &result, 0, MPI_INT, MPI_SUM, all), "reduce_scatter_block", "no int");
  succeed(MPI_Reduce_scatter(&rank, &result, none, MPI_INT, MPI_SUM, all), "reduce_scatter", "no int");
  expect(result == 7, "result", "no int");
  /* One int for rank 1, none for any other. */
  int shares[most] = {0, 1};
  succeed(MPI_Reduce_scatter(&rank, &result, shares, MPI_INT, MPI_SUM, all), "reduce_scatter", "few ints");
  expect(result == (rank == 1 ? ranks * (ranks - 1) / 2 : 7), "reduce_scatter's result", "few ints");
}

/* Blocks between ranks i and j are empty unless i + j is odd. */
static int is_empty(int other) {
  return (rank + other) % 2 == 0;
}

static void expect_from_others(const int* got, const char* what, const char* kind, int in_place) {
  for (int i = 0; i < ranks; ++i)
    expect(got[i] == (is_empty(i) ? (in_place ? 100 * rank + i : -1) : 100 * i + rank), what, kind);
}

/* Empty blocks have `empty.count` elements of `empty.type`; those with data have one int. */
static void nothing_for_some(struct Nothing empty) {
  const char* kind = empty.kind;
  int counts[most], bytes[most], out[most], in[most], lengths[most];
  MPI_Datatype types[most];
  for (int i = 0; i < ranks; ++i) {
    counts[i] = is_empty(i) ? empty.count : 1;
    lengths[i] = is_empty(i) ? 0 : 1;
    types[i] = is_empty(i) ? empty.type : MPI_INT;
    bytes[i] = places[i] * (int)sizeof(int);
    out[i] = 100 * rank + i;
    in[i] = -1;
  }
  const MPI_Comm all = MPI_COMM_WORLD;
  succeed(MPI_Alltoallw(out, counts, bytes, types, in, counts, bytes, types, all), "alltoallw in part", kind);
  expect_from_others(in, "what alltoallw gave", kind, 0);
  succeed(MPI_Alltoallw(MPI_IN_PLACE, NULL, NULL, NULL, out, counts, bytes, types, all), "alltoallw in part in place",
          kind);
  expect_from_others(out, "what alltoallw gave in place", kind, 1);
  for (int i = 0; i < ranks; ++i) {
    out[i] = 100 * rank + i;
    in[i] = -1;
  }
  succeed(MPI_Alltoallv(out, lengths, places, MPI_INT, in, lengths, places, MPI_INT, all), "alltoallv in part", kind);
  expect_from_others(in, "what alltoallv gave", kind, 0);
  succeed(MPI_Alltoallv(MPI_IN_PLACE, NULL, NULL, MPI_DATATYPE_NULL, out, lengths, places, MPI_INT, all),
          "alltoallv in part in place", kind);
  expect_from_others(out, "what alltoallv gave in place", kind, 1);

  int shares[most], got[most];
  for (int i = 0; i < ranks; ++i) {
    shares[i] = i % 2;
    got[i] = -1;
  }
  const int mine = rank % 2;
  const MPI_Datatype type = mine ? MPI_INT : empty.type;
  succeed(MPI_Allgatherv(&rank, mine, type, got, shares, places, MPI_INT, all), "allgatherv in part", kind);
  for (int i = 0; i < ranks; ++i) expect(got[i] == (i % 2 ? i : -1), "what allgatherv gave", kind);
  int from_root = -1;
  succeed(MPI_Scatterv(got, shares, places, MPI_INT, &from_root, mine, type, 0, all), "scatterv in part", kind);
  expect(from_root == (mine ? rank : -1), "what scatterv gave", kind);
  for (int i = 0; i < ranks; ++i) got[i] = -1;
  succeed(MPI_Gatherv(&rank, mine, type, got, shares, places, MPI_INT, 0, all), "gatherv in part", kind);
  for (int i = 0; i < ranks; ++i) expect(got[i] == (rank == 0 && i % 2 ? i : -1), "what gatherv gave", kind);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  for (int i = 0; i < most; ++i) {
    one[i] = 1;
    places[i] = i;
  }
  int length = 0;
  MPI_Aint place = 0;
  MPI_Datatype of_none, blockless, lengthless, memberless, wide;
  MPI_Type_contiguous(0, MPI_INT, &of_none);
  MPI_Type_vector(0, 2, 3, MPI_INT, &blockless);
  MPI_Type_create_hindexed(1, &length, &place, MPI_DOUBLE, &lengthless);
  MPI_Type_create_struct(0, NULL, NULL, NULL, &memberless);
  MPI_Type_create_resized(of_none, 0, 24, &wide);
  MPI_Datatype* const made[] = {&of_none, &blockless, &lengthless, &memberless, &wide};
  for (int i = 0; i < 5; ++i) MPI_Type_commit(made[i]);
  int buffer[most] = {0};
  const struct Nothing all[] = {
      {"no int", 0, MPI_INT, buffer},
      {"no int without a buffer", 0, MPI_INT, NULL},
      {"none of a type without data", 0, of_none, buffer},
      {"a type without data", 1, of_none, buffer},
      {"a vector of no block", 1, blockless, buffer},
      {"an empty block", 1, lengthless, buffer},
      {"a struct of nothing", 1, memberless, buffer},
      {"a gap", 1, wide, buffer},
  };
  enum { ways = sizeof all / sizeof *all };
  for (int round = 0; round < rounds; ++round) {
    for (int i = 0; i < ways; ++i) {
      /* With no element on one side and an empty one on the other, Open MPI and MPICH hang in some collectives. */
      for (int j = 0; j < ways; ++j)
        if (all[i].count == all[j].count) nothing_at_all(all[i], all[j], (i + j + round) % ranks);
      nothing_in_place(all[i], (i + round) % ranks);
      nothing_for_some(all[i]);
    }
    reduce_nothing();
  }
  int total;
  PMPI_Allreduce(&faults, &total, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (rank == 0) printf("%d faults\n", total);
  for (int i = 0; i < 5; ++i) MPI_Type_free(made[i]);
  MPI_Finalize();
  return total ? 1 : 0;
}
