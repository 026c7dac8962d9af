/* Written as programs for ADCL are: its collectives, by vectors and maps and by MPI's arguments, blocking and not, with
 * a timer; each result is checked. */
#include <stdio.h>
#include <stdlib.h>

#include "ADCL.h"

enum { DIM = 6 };

static int rank, ranks, faults, starts = 30;

static void fill(double* data, int count, double value) {
  for (int i = 0; i < count; ++i) data[i] = value;
}

static void is(int code, const char* what) {
  if (code == ADCL_SUCCESS) return;
  fprintf(stderr, "rank %d: %s returned %d\n", rank, what, code);
  ++faults;
}

static void expect(int good, const char* what) {
  if (good) return;
  if (faults++ < 5) fprintf(stderr, "rank %d: wrong: %s\n", rank, what);
}

static void check_allgatherv(ADCL_Topology topo, int differ) {
  int* const counts = malloc(sizeof(int) * ranks);
  int* const places = malloc(sizeof(int) * ranks);
  int sdim = DIM + (differ ? rank : 0), rdim = 0;
  double *sdata, *rdata;
  ADCL_Vmap svmap, rvmap;
  ADCL_Vector svec, rvec;
  ADCL_Request request;
  for (int i = 0; i < ranks; ++i) {
    counts[i] = DIM + (differ ? i : 0);
    places[i] = rdim;
    rdim += counts[i];
  }
  is(ADCL_Vmap_all_allocate(&svmap), "all");
  is(ADCL_Vmap_list_allocate(ranks, counts, places, &rvmap), "list");
  is(ADCL_Vector_allocate_generic(1, &sdim, 0, svmap, MPI_DOUBLE, &sdata, &svec), "allocate");
  is(ADCL_Vector_allocate_generic(1, &rdim, 0, rvmap, MPI_DOUBLE, &rdata, &rvec), "allocate");
  is(ADCL_Request_create_generic(svec, rvec, topo, ADCL_FNCTSET_ALLGATHERV, &request), "allgatherv");
  for (int start = 0; start < starts; ++start) {
    fill(sdata, sdim, rank + 100 * start);
    fill(rdata, rdim, -1);
    is(ADCL_Request_start(request), "start");
    for (int i = 0; i < ranks; ++i)
      for (int j = 0; j < counts[i]; ++j) expect(rdata[places[i] + j] == i + 100 * start, "allgatherv");
  }
  is(ADCL_Request_free(&request), "free");
  is(ADCL_Vector_free(&svec), "free");
  is(ADCL_Vector_free(&rvec), "free");
  is(ADCL_Vmap_free(&svmap), "free");
  is(ADCL_Vmap_free(&rvmap), "free");
  free(counts);
  free(places);
}

static void check_reductions(ADCL_Topology topo, int all, int in_place, int root) {
  int dim = DIM;
  double *sdata = NULL, *rdata;
  ADCL_Vmap svmap, rvmap;
  ADCL_Vector svec, rvec;
  ADCL_Request request;
  if (in_place) {
    is(ADCL_Vmap_inplace_allocate(&svmap), "in place");
    is(ADCL_Vector_allocate_generic(0, NULL, 0, svmap, MPI_DATATYPE_NULL, NULL, &svec), "in place");
  } else {
    is(all ? ADCL_Vmap_allreduce_allocate(MPI_SUM, &svmap) : ADCL_Vmap_reduce_allocate(MPI_SUM, &svmap), "sum");
    is(ADCL_Vector_allocate_generic(1, &dim, 0, svmap, MPI_DOUBLE, &sdata, &svec), "allocate");
  }
  is(all ? ADCL_Vmap_allreduce_allocate(MPI_SUM, &rvmap) : ADCL_Vmap_reduce_allocate(MPI_SUM, &rvmap), "sum");
  is(ADCL_Vector_allocate_generic(1, &dim, 0, rvmap, MPI_DOUBLE, &rdata, &rvec), "allocate");
  is(all ? ADCL_Request_create_generic(svec, rvec, topo, ADCL_FNCTSET_ALLREDUCE, &request)
         : ADCL_Request_create_generic_rooted(svec, rvec, topo, ADCL_FNCTSET_REDUCE, root, &request),
     "reduction");
  for (int start = 0; start < starts; ++start) {
    if (sdata != NULL) fill(sdata, DIM, rank + start);
    fill(rdata, DIM, in_place ? rank + start : -1);
    is(ADCL_Request_start(request), "start");
    for (int i = 0; i < DIM; ++i)
      expect((!all && rank != root) || rdata[i] == ranks * (ranks - 1) / 2 + ranks * start, "reduction");
  }
  is(ADCL_Request_free(&request), "free");
  is(ADCL_Vector_free(&svec), "free");
  is(ADCL_Vector_free(&rvec), "free");
  is(ADCL_Vmap_free(&svmap), "free");
  is(ADCL_Vmap_free(&rvmap), "free");
}

static void check_alltoall(ADCL_Topology topo, ADCL_Fnctset set, int lists, int nonblocking) {
  int dim = DIM * ranks;
  double *sdata, *rdata;
  int* const counts = malloc(sizeof(int) * ranks);
  int* const places = malloc(sizeof(int) * ranks);
  ADCL_Vmap vmap;
  ADCL_Vector svec, rvec;
  ADCL_Request request;
  for (int i = 0; i < ranks; ++i) {
    counts[i] = DIM;
    places[i] = DIM * (ranks - 1 - i);
  }
  is(lists ? ADCL_Vmap_list_allocate(ranks, counts, places, &vmap) : ADCL_Vmap_alltoall_allocate(DIM, DIM, &vmap),
     "map");
  is(ADCL_Vector_allocate_generic(1, &dim, 0, vmap, MPI_DOUBLE, &sdata, &svec), "allocate");
  is(ADCL_Vector_allocate_generic(1, &dim, 0, vmap, MPI_DOUBLE, &rdata, &rvec), "allocate");
  is(ADCL_Request_create_generic(svec, rvec, topo, set, &request), "alltoall");
  for (int start = 0; start < starts; ++start) {
    for (int i = 0; i < ranks; ++i)
      for (int j = 0; j < DIM; ++j) sdata[(lists ? places[i] : DIM * i) + j] = rank + 100 * i + 10000 * start;
    fill(rdata, dim, -1);
    if (nonblocking) {
      is(ADCL_Request_init(request), "init");
      for (int i = 0; i < 3; ++i) is(ADCL_Request_progress(request, 1), "progress");
      is(ADCL_Request_wait(request), "wait");
    } else {
      is(ADCL_Request_start(request), "start");
    }
    for (int i = 0; i < ranks; ++i)
      for (int j = 0; j < DIM; ++j)
        expect(rdata[(lists ? places[i] : DIM * i) + j] == i + 100 * rank + 10000 * start, "alltoall");
  }
  is(ADCL_Request_free(&request), "free");
  is(ADCL_Vector_free(&svec), "free");
  is(ADCL_Vector_free(&rvec), "free");
  is(ADCL_Vmap_free(&vmap), "free");
  free(counts);
  free(places);
}

/* MPI's own arguments: all nine, in flight together, within the section of a timer. */
static void check_init(void) {
  enum { SETS = 9 };
  ADCL_Request requests[SETS];
  ADCL_Timer timer;
  int* const counts = malloc(sizeof(int) * ranks);
  int* const places = malloc(sizeof(int) * ranks);
  int* const mine = malloc(sizeof(int) * ranks * SETS);
  int* const got = malloc(sizeof(int) * ranks * SETS);
  int word = 0, sums[4], root = ranks - 1;
  int in[4] = {0, 0, 0, 0};
  for (int i = 0; i < ranks; ++i) {
    counts[i] = 1;
    places[i] = i;
  }
  is(ADCL_Allreduce_init(&in[0], &sums[0], 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &requests[0]), "allreduce");
  is(ADCL_Reduce_init(&in[1], &sums[1], 1, MPI_INT, MPI_MAX, root, MPI_COMM_WORLD, &requests[1]), "reduce");
  is(ADCL_Alltoall_init(mine, 1, MPI_INT, got, 1, MPI_INT, MPI_COMM_WORLD, &requests[2]), "alltoall");
  is(ADCL_Alltoallv_init(mine + ranks, counts, places, MPI_INT, got + ranks, counts, places, MPI_INT, MPI_COMM_WORLD,
                         &requests[3]),
     "alltoallv");
  is(ADCL_Allgatherv_init(&in[2], 1, MPI_INT, got + 2 * ranks, counts, places, MPI_INT, MPI_COMM_WORLD, &requests[4]),
     "allgatherv");
  is(ADCL_Ibcast_init(&word, 1, MPI_INT, root, MPI_COMM_WORLD, &requests[5]), "ibcast");
  is(ADCL_Ialltoall_init(mine + 2 * ranks, 1, MPI_INT, got + 3 * ranks, 1, MPI_INT, MPI_COMM_WORLD, &requests[6]),
     "ialltoall");
  is(ADCL_Iallgather_init(&in[2], 1, MPI_INT, got + 4 * ranks, 1, MPI_INT, MPI_COMM_WORLD, &requests[7]), "iallgather");
  is(ADCL_Ireduce_init(&in[3], &sums[3], 1, MPI_INT, MPI_SUM, root, MPI_COMM_WORLD, &requests[8]), "ireduce");
  is(ADCL_Timer_create(2, requests, &timer), "timer");
  for (int i = 2; i < SETS; ++i) is(ADCL_Timer_add_request(timer, requests[i]), "adding a request");
  is(ADCL_Timer_remove_request(timer, requests[0]), "removing a request");
  is(ADCL_Timer_commit(timer), "commit");
  for (int start = 0; start < 200; ++start) {
    for (int i = 0; i < 4; ++i) in[i] = rank + start;
    for (int i = 0; i < 3 * ranks; ++i) mine[i] = 100 * start + 10 * rank + i % ranks;
    word = rank == root ? start : -1;
    is(ADCL_Timer_start(timer), "timer");
    for (int i = 0; i < SETS; ++i) is(ADCL_Request_init(requests[i]), "init");
    for (int i = SETS; i-- > 0;) is(ADCL_Request_wait(requests[i]), "wait");
    is(ADCL_Timer_stop(timer), "timer");
    const int sum = ranks * (ranks - 1) / 2 + ranks * start;
    expect(sums[0] == sum && word == start, "allreduce or ibcast");
    if (rank == root) expect(sums[1] == root + start && sums[3] == sum, "reduce or ireduce");
    for (int i = 0; i < ranks; ++i) {
      const int from = 100 * start + 10 * i + rank;
      expect(got[i] == from && got[ranks + i] == from && got[3 * ranks + i] == from,
             "alltoall, alltoallv or ialltoall");
      expect(got[2 * ranks + i] == i + start && got[4 * ranks + i] == i + start, "allgatherv or iallgather");
    }
  }
  is(ADCL_Timer_free(&timer), "timer");
  expect(timer == ADCL_TIMER_NULL, "a freed timer");
  for (int i = 0; i < SETS; ++i) is(ADCL_Request_free(&requests[i]), "free");
  free(counts);
  free(places);
  free(mine);
  free(got);
}

static void check_ibcast(ADCL_Topology topo) {
  int dim = 3, *sdata, *rdata;
  ADCL_Vmap svmap, rvmap;
  ADCL_Vector svec, rvec;
  ADCL_Request request;
  is(ADCL_Vmap_all_allocate(&svmap), "all");
  is(ADCL_Vmap_all_allocate(&rvmap), "all");
  is(ADCL_Vector_allocate_generic(1, &dim, 0, svmap, MPI_INT, &sdata, &svec), "allocate");
  is(ADCL_Vector_allocate_generic(1, &dim, 0, rvmap, MPI_INT, &rdata, &rvec), "allocate");
  is(ADCL_Request_create_generic_rooted(svec, rvec, topo, ADCL_FNCTSET_IBCAST, 0, &request), "ibcast");
  for (int start = 0; start < starts; ++start) {
    for (int i = 0; i < dim; ++i) sdata[i] = rank == 0 ? start + i : -1;
    is(ADCL_Request_start(request), "start");
    for (int i = 0; i < dim; ++i) expect(sdata[i] == start + i, "ibcast");
  }
  is(ADCL_Request_free(&request), "free");
  is(ADCL_Vector_free(&svec), "free");
  is(ADCL_Vector_free(&rvec), "free");
  is(ADCL_Vmap_free(&svmap), "free");
  is(ADCL_Vmap_free(&rvmap), "free");
}

/* Arguments that MPI would refuse: the code says which. */
static void check_refused(void) {
  double from = 1, into = 0;
  ADCL_Request request;
  expect(ADCL_Allreduce_init(&from, &into, 1, MPI_DOUBLE, MPI_OP_NULL, MPI_COMM_WORLD, &request) == ADCL_INVALID_OP,
         "no operator");
  expect(ADCL_Allreduce_init(&from, &into, 1, MPI_DATATYPE_NULL, MPI_SUM, MPI_COMM_WORLD, &request) == ADCL_INVALID_DAT,
         "no datatype");
  expect(ADCL_Alltoall_init(&from, 0, MPI_DOUBLE, &into, 0, MPI_DATATYPE_NULL, MPI_COMM_WORLD, &request) ==
             ADCL_INVALID_DAT,
         "no datatype to receive");
  expect(ADCL_Allreduce_init(&from, &into, -1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, &request) == ADCL_INVALID_ARG,
         "a negative count");
  expect(ADCL_Reduce_init(&from, &into, 1, MPI_DOUBLE, MPI_SUM, ranks, MPI_COMM_WORLD, &request) == ADCL_INVALID_ARG,
         "no such root");
  expect(ADCL_Allreduce_init(&from, &into, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_NULL, &request) == ADCL_INVALID_COMM,
         "no communicator");
}

int main(int argc, char** argv) {
  int cdims = 0, periods = 0;
  MPI_Comm cart;
  ADCL_Topology topo;
  MPI_Init(&argc, &argv);
  if (argc > 1) starts = atoi(argv[1]);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  is(ADCL_Init(), "init");
  MPI_Dims_create(ranks, 1, &cdims);
  MPI_Cart_create(MPI_COMM_WORLD, 1, &cdims, &periods, 0, &cart);
  is(ADCL_Topology_create(cart, &topo), "topology");
  check_allgatherv(topo, 0);
  check_allgatherv(topo, 1);
  for (int in_place = 0; in_place < 2; ++in_place) {
    check_reductions(topo, 1, in_place, 0);
    check_reductions(topo, 0, in_place, ranks - 1);
  }
  check_alltoall(topo, ADCL_FNCTSET_ALLTOALL, 0, 0);
  check_alltoall(topo, ADCL_FNCTSET_ALLTOALLV, 1, 0);
  check_alltoall(topo, ADCL_FNCTSET_IALLTOALL, 0, 1);
  check_ibcast(topo);
  check_init();
  check_refused();
  is(ADCL_Topology_free(&topo), "free");
  MPI_Comm_free(&cart);
  int all = 0;
  MPI_Allreduce(&faults, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (rank == 0) printf("%d faults\n", all);
  is(ADCL_Finalize(), "finalize");
  MPI_Finalize();
  return all != 0;
}
