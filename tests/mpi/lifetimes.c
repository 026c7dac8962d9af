/* Requests that come and go: halos of grids of one and two dimensions and sets of the program's own, with any strategy,
 * up to six at once, several of them in flight, some with a timer whose sections overlap those of others. What happens
 * next is drawn; all ranks draw the same. Each exchange is checked.
 * Usage: lifetimes SEED STEPS */
#include <mpi.h>
#include <starling/patterns.h>
#include <stdio.h>
#include <stdlib.h>

enum { MOST = 6, CELLS = 16, ALIGNMENTS = 8 };

typedef struct {
  starling_request request; /* NULL: the place is free */
  starling_topology topology;
  starling_map map;
  starling_vector vector;
  starling_timer timer;
  MPI_Comm comm;
  int in_flight, in_section, dimensions, width, neighbour[2][2];
  int extent[2], starts, sent, got, exchanged;
  double room[CELLS * CELLS + ALIGNMENTS];
  double* cells; /* in `room`, at any address that fits a double */
  MPI_Request messages[2];
} Live;

static int rank, ranks;
static unsigned long long dice;
static Live live[MOST];

static int draw(int below) {
  dice = dice * 6364136223846793005ULL + 1442695040888963407ULL;
  return (int)((dice >> 33) % (unsigned long long)below);
}

static void require(int good, const char* what) {
  if (good) return;
  fprintf(stderr, "rank %d: %s: %s\n", rank, what, starling_error_detail());
  MPI_Abort(MPI_COMM_WORLD, 1);
  exit(1);
}

/* ---- a set of the program's own: every rank tells its right neighbour a number ---- */

static Live* owner_of(starling_request request) {
  for (int i = 0; i < MOST; ++i)
    if (live[i].request == request) return &live[i];
  require(0, "a function got another request than those that live");
  return NULL;
}

static int at_once(starling_request request, void* context) {
  Live* one = owner_of(request);
  (void)context;
  MPI_Sendrecv(&one->sent, 1, MPI_INT, one->neighbour[0][1], 0, &one->got, 1, MPI_INT, one->neighbour[0][0], 0,
               one->comm, MPI_STATUS_IGNORE);
  return 0;
}

static int post(starling_request request, void* context) {
  Live* one = owner_of(request);
  (void)context;
  MPI_Irecv(&one->got, 1, MPI_INT, one->neighbour[0][0], 0, one->comm, &one->messages[0]);
  MPI_Isend(&one->sent, 1, MPI_INT, one->neighbour[0][1], 0, one->comm, &one->messages[1]);
  return 0;
}

static int complete(starling_request request, void* context) {
  Live* one = owner_of(request);
  MPI_Status statuses[2];
  (void)context;
  MPI_Waitall(2, one->messages, statuses);
  return 0;
}

static int by_all(starling_request request, void* context) {
  Live* one = owner_of(request);
  int all[64];
  (void)context;
  MPI_Allgather(&one->sent, 1, MPI_INT, all, 1, MPI_INT, one->comm);
  one->got = all[one->neighbour[0][0]];
  return 0;
}

static starling_function_set set_of_mine(void) {
  const int posted[] = {0, 1}, partners[] = {1, 2};
  const int values[3][2] = {{0, 2}, {0, 1}, {1, 1}};
  starling_attribute attributes[2];
  starling_attribute_set both;
  starling_function functions[3];
  starling_function_set made;
  require(starling_attribute_create("posted", 2, posted, NULL, &attributes[0]) == 0, "attribute");
  require(starling_attribute_create("partners", 2, partners, NULL, &attributes[1]) == 0, "attribute");
  require(starling_attribute_set_create(2, attributes, &both) == 0, "attribute set");
  require(starling_function_create("native", by_all, NULL, both, values[0], &functions[0]) == 0, "function");
  require(starling_function_create("at_once", at_once, NULL, both, values[1], &functions[1]) == 0, "function");
  require(starling_function_split("posted", post, NULL, complete, NULL, both, values[2], &functions[2]) == 0, "parts");
  require(starling_function_set_create("mine", 3, functions, &made) == 0, "function set");
  return made;
}

/* ---- what a request exchanges ---- */

static double value(int owner, int starts, int x, int y) {
  return owner * 1e6 + starts * 1e3 + x * CELLS + y;
}

static void fill(Live* one) {
  ++one->starts;
  one->sent = rank + 1000 * one->starts;
  one->got = -1;
  for (int x = 0; x < one->extent[0]; ++x)
    for (int y = 0; y < one->extent[1]; ++y) {
      const int inside = x >= one->width && x < one->extent[0] - one->width &&
                         (one->dimensions == 1 || (y >= one->width && y < one->extent[1] - one->width));
      one->cells[x * one->extent[1] + y] = inside ? value(rank, one->starts, x, y) : -1;
    }
}

static void check(Live* one) {
  ++one->exchanged;
  if (one->dimensions == 0) {
    require(one->got == one->neighbour[0][0] + 1000 * one->starts, "a wrong number came");
    return;
  }
  for (int dimension = 0; dimension < one->dimensions; ++dimension)
    for (int side = 0; side < 2; ++side)
      for (int layer = 0; layer < one->width; ++layer) {
        int at[2] = {one->width, one->dimensions == 1 ? 0 : one->width};
        const int inner = one->extent[dimension] - 2 * one->width;
        at[dimension] = side == 0 ? layer : one->width + inner + layer;
        const double found = one->cells[at[0] * one->extent[1] + at[1]];
        at[dimension] += side == 0 ? inner : -inner;
        require(found == value(one->neighbour[dimension][side], one->starts, at[0], at[1]), "a wrong halo");
      }
}

/* ---- lifetimes ---- */

static void create(Live* one, starling_function_set mine, starling_function_set halos) {
  static const char* const strategies[] = {
      "brute-force", "attribute", "attribute:tested", "factorial", "star", "star-basic", "lottery", "auto", "native"};
  const char* const strategy = strategies[draw(sizeof strategies / sizeof *strategies)];
  const int periodic[2] = {1, 1};
  int sizes[2] = {0, 0};
  one->dimensions = draw(3);
  one->starts = one->in_flight = one->in_section = 0;
  one->cells = one->room + draw(ALIGNMENTS);
  one->width = one->dimensions == 0 ? 0 : 1 + draw(2);
  const int grid = one->dimensions == 0 ? 1 : one->dimensions;
  for (int i = 0; i < 2; ++i) one->extent[i] = i < one->dimensions ? 3 * one->width + draw(4) : 1;
  MPI_Dims_create(ranks, grid, sizes);
  MPI_Cart_create(MPI_COMM_WORLD, grid, sizes, periodic, 0, &one->comm);
  for (int i = 0; i < grid; ++i) MPI_Cart_shift(one->comm, i, 1, &one->neighbour[i][0], &one->neighbour[i][1]);
  require(starling_topology_cartesian(one->comm, 0, &one->topology) == 0, "topology");
  if (one->dimensions > 0) {
    require(starling_map_halo(one->width, &one->map) == 0, "map");
    require(starling_vector_register(one->dimensions, one->extent, 0, one->map, MPI_DOUBLE, STARLING_ORDER_C,
                                     one->cells, &one->vector) == 0,
            "vector");
  }
  require(starling_request_create(one->dimensions > 0 ? halos : mine, one->topology, one->vector, one->vector, 0,
                                  strategy, &one->request) == 0,
          "request");
  if (draw(3) == 0) require(starling_timer_create(1, &one->request, &one->timer) == 0, "timer");
}

static void end(Live* one) {
  const int timer_first = draw(2);
  if (one->timer != NULL && timer_first) require(starling_timer_free(&one->timer) == 0, "freeing a timer");
  if (one->vector != NULL && draw(2)) require(starling_vector_free(&one->vector) == 0, "freeing a vector early");
  if (draw(2)) require(starling_topology_free(&one->topology) == 0, "freeing a topology early");
  require(starling_request_free(&one->request) == 0, "freeing a request");
  if (one->timer != NULL) require(starling_timer_free(&one->timer) == 0, "freeing a timer");
  if (one->vector != NULL) require(starling_vector_free(&one->vector) == 0, "freeing a vector");
  if (one->topology != NULL) require(starling_topology_free(&one->topology) == 0, "freeing a topology");
  if (one->map != NULL) require(starling_map_free(&one->map) == 0, "freeing a map");
  MPI_Comm_free(&one->comm);
}

static void step(Live* one, starling_function_set mine, starling_function_set halos) {
  if (one->request == NULL) {
    create(one, mine, halos);
  } else if (one->in_flight) {
    require(starling_request_start(one->request) == STARLING_ERROR_STATE, "a start in flight is no error");
    if (draw(2)) require(starling_request_progress(one->request, NULL) == 0, "progress");
    if (draw(3) != 0) {
      require(starling_request_wait(one->request) == 0, "wait");
      one->in_flight = 0;
      check(one);
    }
  } else if (one->timer != NULL && draw(2)) {
    require((one->in_section ? starling_timer_stop : starling_timer_start)(one->timer) == 0, "timer");
    one->in_section = !one->in_section;
  } else if (draw(60) == 0 && !one->in_section) {
    end(one);
  } else if (draw(2)) {
    fill(one);
    require(starling_request_init(one->request) == 0, "init");
    one->in_flight = 1;
  } else {
    for (int i = 1 + draw(30); i > 0; --i) {
      fill(one);
      require(starling_request_start(one->request) == 0, "start");
      check(one);
    }
  }
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  require(argc == 3, "usage: lifetimes SEED STEPS");
  dice = strtoull(argv[1], NULL, 10);
  starling_function_set mine = set_of_mine(), halos = NULL;
  require(starling_function_set_predefined("neighborhood", &halos) == 0, "set of halos");
  for (int i = atoi(argv[2]); i > 0; --i) step(&live[draw(MOST)], mine, halos);
  int exchanged = 0;
  for (int i = 0; i < MOST; ++i) {
    exchanged += live[i].exchanged;
    if (live[i].in_flight) require(starling_request_wait(live[i].request) == 0, "a last wait");
    if (live[i].in_section) require(starling_timer_stop(live[i].timer) == 0, "a last stop");
    if (live[i].request != NULL) end(&live[i]);
  }
  require(starling_function_set_free(&mine) == 0, "freeing a set");
  if (rank == 0) printf("right, %d exchanges\n", exchanged);
  MPI_Finalize();
  return 0;
}
