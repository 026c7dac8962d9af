/* Programs that a user of include/starling/patterns.h may write and that others have not: each case is one of them, and
 * checks every exchange. Usage: unusual_patterns CASE */
#include <mpi.h>
#include <starling/patterns.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_CELLS = 4096, MOST_DIMENSIONS = 3 };

static int rank, ranks;

static void fail(const char* what) {
  fprintf(stderr, "rank %d: %s: %s\n", rank, what, starling_error_detail());
  MPI_Abort(MPI_COMM_WORLD, 1);
  exit(1);
}

static void require(int good, const char* what) {
  if (!good) fail(what);
}

static void is(int code, int wanted, const char* what) {
  if (code == wanted) return;
  fprintf(stderr, "rank %d: %s returned %d, not %d\n", rank, what, code, wanted);
  fail(what);
}

static starling_function_set halos(void) {
  starling_function_set set = NULL;
  is(starling_function_set_predefined("neighborhood", &set), 0, "the set of halos");
  return set;
}

static MPI_Comm grid_of(int dimensions, const int* sizes, int period) {
  MPI_Comm made;
  const int periods[MOST_DIMENSIONS] = {period, period, period};
  MPI_Cart_create(MPI_COMM_WORLD, dimensions, sizes, periods, 0, &made);
  return made;
}

static starling_topology topology_of(MPI_Comm comm, int corners) {
  starling_topology made = NULL;
  is(starling_topology_cartesian(comm, corners, &made), 0, "a topology");
  return made;
}

static starling_vector vector_of(int dimensions, const int* extents, int width, MPI_Datatype type, void* data) {
  starling_map map = NULL;
  starling_vector made = NULL;
  is(starling_map_halo(width, &map), 0, "a map");
  is(starling_vector_register(dimensions, extents, 0, map, type, STARLING_ORDER_C, data, &made), 0, "a vector");
  is(starling_map_free(&map), 0, "freeing a map");
  return made;
}

static starling_request request_of(starling_function_set set, starling_topology topology, starling_vector vector,
                                   const char* strategy) {
  starling_request made = NULL;
  is(starling_request_create(set, topology, vector, vector, 0, strategy, &made), 0, "a request");
  return made;
}

/* ---- blocks of rows: rank r has r + 2 of them ---- */

static double value(int owner, int round, int row, int column) {
  return owner * 1e6 + round * 1e3 + row * 10 + column;
}

static void rows_differ(const char* strategy) {
  enum { COLUMNS = 5, WIDTH = 2 };
  const int extents[] = {rank + 2 + 2 * WIDTH, COLUMNS + 2 * WIDTH}, sizes[] = {ranks, 1};
  double cells[MOST_CELLS];
  MPI_Comm line = grid_of(2, sizes, 1);
  starling_topology topology = topology_of(line, 0);
  starling_vector vector = vector_of(2, extents, WIDTH, MPI_DOUBLE, cells);
  starling_request request = request_of(halos(), topology, vector, strategy);
  const int up = (rank + ranks - 1) % ranks, down = (rank + 1) % ranks, mine = rank + 2;
  for (int round = 0; round < 250; ++round) {
    for (int i = 0; i < extents[0] * extents[1]; ++i) cells[i] = -1;
    for (int row = 0; row < mine; ++row)
      for (int column = 0; column < COLUMNS; ++column)
        cells[(row + WIDTH) * extents[1] + column + WIDTH] = value(rank, round, row, column);
    is(starling_request_start(request), 0, "a start");
    for (int layer = 0; layer < WIDTH; ++layer)
      for (int column = 0; column < COLUMNS; ++column) {
        const double above = cells[layer * extents[1] + column + WIDTH];
        const double below = cells[(WIDTH + mine + layer) * extents[1] + column + WIDTH];
        require(above == value(up, round, up + 2 - WIDTH + layer, column), "a wrong row above");
        require(below == value(down, round, layer, column), "a wrong row below");
      }
    for (int row = 0; row < mine; ++row) /* the dimension of one rank wraps around to itself */
      for (int layer = 0; layer < WIDTH; ++layer) {
        const double* const line_of = cells + (row + WIDTH) * extents[1];
        require(line_of[layer] == value(rank, round, row, COLUMNS - WIDTH + layer), "a wrong column on the left");
        require(line_of[WIDTH + COLUMNS + layer] == value(rank, round, row, layer), "a wrong column on the right");
      }
  }
  is(starling_request_free(&request), 0, "freeing a request");
  is(starling_vector_free(&vector), 0, "freeing a vector");
  is(starling_topology_free(&topology), 0, "freeing a topology");
  MPI_Comm_free(&line);
}

static void blocks_of_all_sizes(void) {
  rows_differ("brute-force");
  rows_differ("attribute:tested");
}

/* ---- one rank's arguments are wrong: all learn it, and nobody waits for the others ---- */

static int nothing(starling_request request, void* context) {
  (void)request;
  (void)context;
  return 0;
}

static void one_rank_is_wrong(void) {
  const int sizes[] = {ranks, 1}, extents[] = {8, 8}, flat[] = {64}, narrow[] = {8, 6};
  double cells[MOST_CELLS] = {0};
  MPI_Comm grid = grid_of(2, sizes, 1);
  starling_topology topology = topology_of(grid, 0);
  starling_map all = NULL;
  starling_vector right = vector_of(2, extents, 1, MPI_DOUBLE, cells), wrong[4] = {NULL, NULL, NULL, NULL};
  is(starling_map_all(&all), 0, "a map");
  is(starling_vector_register(2, extents, 0, all, MPI_DOUBLE, STARLING_ORDER_C, cells, &wrong[0]), 0, "a vector");
  wrong[1] = vector_of(1, flat, 1, MPI_DOUBLE, cells);
  wrong[2] = vector_of(2, narrow, 1, MPI_DOUBLE, cells);
  wrong[3] = vector_of(2, extents, 1, MPI_INT, cells);
  starling_function function = NULL;
  starling_function_set mine = NULL;
  is(starling_function_create("f", nothing, NULL, NULL, NULL, &function), 0, "a function");
  is(starling_function_set_create("plain", 1, &function, &mine), 0, "a function set");
  for (int odd = 0; odd < ranks; ++odd) {
    starling_request request = NULL;
    const int codes[] = {STARLING_ERROR_VECTOR, STARLING_ERROR_DIMENSIONS, STARLING_ERROR_VECTOR,
                         STARLING_ERROR_VECTOR};
    for (int i = 0; i < 4; ++i) {
      starling_vector vector = rank == odd ? wrong[i] : right;
      is(starling_request_create(halos(), topology, vector, vector, 0, NULL, &request), codes[i],
         "a request with a vector that is wrong on one rank");
      require(strlen(starling_error_detail()) > 20, "nothing tells what is wrong");
    }
    starling_vector freed = vector_of(2, extents, 1, MPI_DOUBLE, cells), kept = freed;
    is(starling_vector_free(&kept), 0, "freeing a vector");
    if (rank != odd) freed = right;
    is(starling_request_create(mine, topology, freed, NULL, 0, NULL, &request), STARLING_ERROR_HANDLE,
       "a request with a vector that is freed on one rank");
    is(starling_request_create(mine, topology, NULL, NULL, 0, rank == odd ? "luck" : "brute-force", &request),
       STARLING_ERROR_STRATEGY, "a request by a strategy that there is not on one rank");
    is(starling_request_create(rank == odd ? (starling_function_set)topology : mine, topology, NULL, NULL, 0, NULL,
                               &request),
       STARLING_ERROR_HANDLE, "a request of no set on one rank");
    require(request == NULL, "a request that is refused has a handle");
  }
  starling_request request = request_of(halos(), topology, right, "brute-force");
  for (int i = 0; i < 30; ++i) is(starling_request_start(request), 0, "a start after all that");
  is(starling_request_free(&request), 0, "freeing a request");
  MPI_Comm_free(&grid);
}

/* ---- values with gaps, and cells of many bytes ---- */

static void predefined_types_of_two_values(void) {
  typedef struct {
    double value;
    int place;
  } Pair;
  enum { CELLS = 6, WIDTH = 2 };
  const int extents[] = {CELLS + 2 * WIDTH, CELLS + 2 * WIDTH}, sizes[] = {ranks, 1};
  static Pair cells[(CELLS + 2 * WIDTH) * (CELLS + 2 * WIDTH)];
  MPI_Comm grid = grid_of(2, sizes, 1);
  starling_topology topology = topology_of(grid, 1);
  starling_vector vector = vector_of(2, extents, WIDTH, MPI_DOUBLE_INT, cells);
  starling_request request = request_of(halos(), topology, vector, "brute-force");
  for (int round = 0; round < 250; ++round) {
    memset(cells, 0x55, sizeof cells);
    for (int row = 0; row < CELLS; ++row)
      for (int column = 0; column < CELLS; ++column) {
        Pair* const one = &cells[(row + WIDTH) * extents[1] + column + WIDTH];
        one->value = value(rank, round, row, column);
        one->place = row;
      }
    is(starling_request_start(request), 0, "a start");
    for (int row = -WIDTH; row < CELLS + WIDTH; ++row) /* corners as well */
      for (int column = -WIDTH; column < CELLS + WIDTH; ++column) {
        const int owner = row < 0 ? (rank + ranks - 1) % ranks : row >= CELLS ? (rank + 1) % ranks : rank;
        const int its_row = (row + CELLS) % CELLS, its_column = (column + CELLS) % CELLS;
        const Pair one = cells[(row + WIDTH) * extents[1] + column + WIDTH];
        require(one.value == value(owner, round, its_row, its_column) && one.place == its_row, "a wrong pair");
      }
  }
  is(starling_request_free(&request), 0, "freeing a request");
  is(starling_topology_free(&topology), 0, "freeing a topology");
  is(starling_vector_free(&vector), 0, "freeing a vector");
  MPI_Comm_free(&grid);
}

/* ---- the communicator is freed first ---- */

static void communicator_goes_first(void) {
  const int sizes[] = {ranks, 1}, extents[] = {6, 6};
  double cells[36] = {0};
  MPI_Comm grid = grid_of(2, sizes, 1);
  starling_topology topology = topology_of(grid, 0);
  starling_vector vector = vector_of(2, extents, 1, MPI_DOUBLE, cells);
  starling_request request = request_of(halos(), topology, vector, "brute-force");
  MPI_Comm_free(&grid);
  for (int round = 0; round < 250; ++round) {
    cells[4 * 6 + 1] = value(rank, round, 0, 0);
    if (round % 2) {
      is(starling_request_start(request), 0, "a start without the communicator");
    } else {
      is(starling_request_init(request), 0, "an init without the communicator");
      is(starling_request_wait(request), 0, "a wait without the communicator");
    }
    require(cells[1] == value((rank + ranks - 1) % ranks, round, 0, 0), "a wrong halo");
  }
  is(starling_request_free(&request), 0, "freeing a request");
  is(starling_topology_free(&topology), 0, "freeing a topology");
  is(starling_vector_free(&vector), 0, "freeing a vector");
}

/* ---- functions that fail ---- */

static int fails_in, failing_rank, calls_of[3];

static int may_fail(starling_request request, void* context) {
  const int part = *(const int*)context;
  const char* name = NULL;
  (void)request;
  is(starling_request_function(request, &name), 0, "the function's name");
  ++calls_of[part];
  return strcmp(name, "good") != 0 && part == fails_in && rank == failing_rank ? 7 : 0;
}
static int part_of(starling_request request, int part) {
  return may_fail(request, &part);
}
static int begins(starling_request request, void* context) {
  (void)context;
  return part_of(request, 0);
}
static int goes_on(starling_request request, void* context) {
  (void)context;
  return part_of(request, 1);
}
static int ends(starling_request request, void* context) {
  (void)context;
  return part_of(request, 2);
}

static void parts_that_fail_on_one_rank(void) {
  static const char* const names[] = {"bad", "good"};
  failing_rank = ranks - 1;
  for (int good = 0; good < 2; ++good) /* without a good one, all functions fail */
    for (fails_in = 0; fails_in < 3; ++fails_in) {
      starling_function functions[2] = {NULL, NULL};
      starling_function_set set = NULL;
      starling_request request = NULL;
      for (int i = 0; i < 2; ++i)
        is(starling_function_split(good ? names[i] : "bad", begins, goes_on, ends, NULL, NULL, NULL, &functions[i]), 0,
           "parts");
      is(starling_function_set_create("failing", 2, functions, &set), 0, "a set");
      is(starling_request_create(set, NULL, NULL, NULL, 0, "brute-force", &request), 0, "a request");
      int failures = 0;
      for (int i = 0; i < 100; ++i) {
        const int begun = starling_request_init(request);
        const int between = starling_request_progress(request, NULL);
        const int ended = starling_request_wait(request);
        require(begun == 0 || begun == STARLING_ERROR_FAILED, "an init");
        require(between == 0 || between == STARLING_ERROR_FAILED, "progress");
        require(ended == 0 || ended == STARLING_ERROR_FAILED, "a wait");
        require(begun == 0 || ended != 0, "what failed in the init has not failed in the wait");
        failures += ended != 0;
      }
      if (rank != failing_rank) require(failures == 0, "another rank's failure");
      if (rank == failing_rank && good) require(failures > 0 && failures < 60, "a failing function is not left out");
      if (rank == failing_rank && !good) require(failures == 100, "all functions fail");
      is(starling_request_free(&request), 0, "freeing a request");
    }
}

/* ---- timers ---- */

static const double seconds_of[] = {3e-3, 1e-3};

static int tells(starling_request request, void* context) {
  return starling_request_update(request, seconds_of[*(const int*)context]);
}

static starling_function_set two_speeds(void) {
  static int numbers[] = {0, 1};
  static const char* const names[] = {"slow", "fast"};
  starling_function functions[2] = {NULL, NULL};
  starling_function_set set = NULL;
  for (int i = 0; i < 2; ++i)
    is(starling_function_create(names[i], tells, &numbers[i], NULL, NULL, &functions[i]), 0, "a function");
  is(starling_function_set_create("speeds", 2, functions, &set), 0, "a set");
  return set;
}

static int settles(starling_request request) {
  const char* winner = NULL;
  for (int i = 0; i < 200; ++i) is(starling_request_start(request), 0, "a start");
  return starling_request_winner(request, &winner) == STARLING_SUCCESS && strcmp(winner, "fast") == 0;
}

static void timers_end_within_sections(void) {
  starling_function_set set = two_speeds();
  starling_request requests[3] = {NULL, NULL, NULL};
  starling_timer outer = NULL, inner = NULL, shared = NULL;
  for (int i = 0; i < 3; ++i) requests[i] = request_of(set, NULL, NULL, "brute-force");
  is(starling_timer_create(2, requests, &outer), 0, "a timer");
  is(starling_timer_create(1, requests + 2, &inner), 0, "a second timer");
  is(starling_timer_create(3, requests, &shared), STARLING_ERROR_STATE, "a timer of requests that have one");
  is(starling_timer_add(inner, requests[0]), STARLING_ERROR_STATE, "a request in two timers");
  for (int i = 0; i < 30; ++i) { /* sections within sections, and some that overlap */
    is(starling_timer_start(outer), 0, "a timer's start");
    is(starling_request_start(requests[0]), 0, "a start");
    is(starling_timer_start(inner), 0, "the inner timer's start");
    is(starling_request_init(requests[1]), 0, "an init in one section");
    is(starling_request_start(requests[2]), 0, "a start");
    is(starling_timer_stop(i % 2 ? inner : outer), 0, "a timer's stop");
    is(starling_request_wait(requests[1]), 0, "a wait after it");
    is(starling_timer_stop(i % 2 ? outer : inner), 0, "a timer's stop");
  }
  /* Timers and requests are freed in the middle of a section: what is left goes on as if it had no timer. */
  is(starling_timer_start(outer), 0, "a timer's start");
  is(starling_timer_start(inner), 0, "a timer's start");
  for (int i = 0; i < 3; ++i) is(starling_request_start(requests[i]), 0, "a start");
  is(starling_request_free(&requests[0]), 0, "freeing a request in a section");
  is(starling_timer_free(&inner), 0, "freeing a timer in a section");
  is(starling_timer_stop(outer), 0, "a timer's stop");
  is(starling_timer_start(outer), 0, "a timer's start");
  is(starling_request_start(requests[1]), 0, "a start");
  is(starling_timer_free(&outer), 0, "freeing a timer in a section");
  require(settles(requests[1]), "a request whose timer was freed in a section does not choose");
  require(settles(requests[2]), "another one does not choose");
  for (int i = 1; i < 3; ++i) is(starling_request_free(&requests[i]), 0, "freeing a request");
  is(starling_function_set_free(&set), 0, "freeing a set");
}

/* ---- a function that starts other requests ---- */

static starling_request inner_request;

static int starts_another(starling_request request, void* context) {
  (void)context;
  is(starling_request_free(&request), STARLING_ERROR_STATE, "freeing a request within its function");
  is(starling_request_init(inner_request), 0, "an init within a function");
  return starling_request_wait(inner_request);
}

static void requests_within_functions(void) {
  starling_function functions[2] = {NULL, NULL};
  starling_function_set set = NULL, inner = two_speeds();
  for (int i = 0; i < 2; ++i)
    is(starling_function_create(NULL, starts_another, NULL, NULL, NULL, &functions[i]), 0, "a function");
  is(starling_function_set_create("outer", 2, functions, &set), 0, "a set");
  inner_request = request_of(inner, NULL, NULL, "brute-force");
  starling_request outer = request_of(set, NULL, NULL, "brute-force");
  for (int i = 0; i < 200; ++i) is(starling_request_start(outer), 0, "a start");
  int exploring = 1;
  is(starling_request_exploring(outer, &exploring), 0, "exploring");
  require(!exploring && settles(inner_request), "requests within requests do not choose");
  is(starling_request_free(&outer), 0, "freeing a request");
  is(starling_request_free(&inner_request), 0, "freeing a request");
}

/* ---- half of the ranks, and a grid by its neighbours where a rank is its own ---- */

static void halves_and_own_neighbours(void) {
  MPI_Comm half;
  MPI_Comm_split(MPI_COMM_WORLD, rank % 2, -rank, &half);
  int here = 0, all = 0;
  MPI_Comm_rank(half, &here);
  MPI_Comm_size(half, &all);
  const int left[] = {(here + all - 1) % all, here}, right[] = {(here + 1) % all, here}, extents[] = {5, 4};
  double cells[20] = {0};
  starling_topology topology = NULL;
  is(starling_topology_grid(2, left, right, NULL, half, &topology), 0, "a grid by its neighbours");
  starling_vector vector = vector_of(2, extents, 1, MPI_DOUBLE, cells);
  starling_request request = request_of(halos(), topology, vector, rank % 2 ? "brute-force" : "attribute");
  for (int round = 0; round < 150 * (1 + rank % 2); ++round) {
    for (int row = 1; row < 4; ++row)
      for (int column = 1; column < 3; ++column) cells[row * 4 + column] = value(here, round, row, column);
    is(starling_request_start(request), 0, "a start");
    for (int column = 1; column < 3; ++column) {
      require(cells[column] == value(left[0], round, 3, column), "a wrong row above");
      require(cells[4 * 4 + column] == value(right[0], round, 1, column), "a wrong row below");
    }
    for (int row = 1; row < 4; ++row)
      require(cells[row * 4] == value(here, round, row, 2) && cells[row * 4 + 3] == value(here, round, row, 1),
              "a wrong column of its own");
  }
  is(starling_request_free(&request), 0, "freeing a request");
  MPI_Comm_free(&half);
  is(starling_topology_free(&topology), 0, "freeing a topology after its communicator");
}

/* ---- trials that never end ---- */

static void trials_longer_than_the_run(void) {
  starling_function_set set = two_speeds();
  starling_request request = request_of(set, NULL, NULL, "brute-force");
  const char* winner = NULL;
  int exploring = 0;
  for (int i = 0; i < 50; ++i) is(starling_request_start(request), 0, "a start");
  is(starling_request_winner(request, &winner), STARLING_ERROR_UNDECIDED, "a winner before the trials end");
  is(starling_request_exploring(request, &exploring), 0, "exploring");
  require(exploring, "trials have ended");
  is(starling_request_free(&request), 0, "freeing a request");
}

/* ---- many requests on one topology ---- */

static void many_requests(void) {
  enum { REQUESTS = 40, CELLS = 3 };
  static double cells[REQUESTS][CELLS + 2];
  static starling_request requests[REQUESTS];
  static starling_vector vectors[REQUESTS];
  const int extent = CELLS + 2;
  MPI_Comm line = grid_of(1, &ranks, 1);
  starling_topology topology = topology_of(line, 0);
  for (int i = 0; i < REQUESTS; ++i) {
    vectors[i] = vector_of(1, &extent, 1, MPI_DOUBLE, cells[i]);
    requests[i] = request_of(halos(), topology, vectors[i], i % 2 ? "brute-force" : "factorial");
  }
  is(starling_topology_free(&topology), 0, "freeing a topology");
  for (int round = 0; round < 40; ++round) {
    for (int i = 0; i < REQUESTS; ++i) {
      for (int j = 0; j < CELLS; ++j) cells[i][j + 1] = value(rank, round, i, j);
      is(starling_request_init(requests[i]), 0, "an init");
    }
    for (int i = REQUESTS; i-- > 0;) {
      is(starling_request_wait(requests[i]), 0, "a wait");
      require(cells[i][0] == value((rank + ranks - 1) % ranks, round, i, CELLS - 1), "a wrong left halo");
      require(cells[i][CELLS + 1] == value((rank + 1) % ranks, round, i, 0), "a wrong right halo");
    }
  }
  for (int i = 0; i < REQUESTS; i += 2) is(starling_request_free(&requests[i]), 0, "freeing a request");
  for (int i = REQUESTS - 1; i > 0; i -= 2) is(starling_request_free(&requests[i]), 0, "freeing a request");
  for (int i = 0; i < REQUESTS; ++i) is(starling_vector_free(&vectors[i]), 0, "freeing a vector");
  MPI_Comm_free(&line);
}

static const struct {
  const char* name;
  void (*run)(void);
} cases[] = {
    {"blocks_of_all_sizes", blocks_of_all_sizes},
    {"many_requests", many_requests},
    {"one_rank_is_wrong", one_rank_is_wrong},
    {"predefined_types_of_two_values", predefined_types_of_two_values},
    {"communicator_goes_first", communicator_goes_first},
    {"parts_that_fail_on_one_rank", parts_that_fail_on_one_rank},
    {"timers_end_within_sections", timers_end_within_sections},
    {"requests_within_functions", requests_within_functions},
    {"halves_and_own_neighbours", halves_and_own_neighbours},
    {"trials_longer_than_the_run", trials_longer_than_the_run},
};

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  int found = 0;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i)
    if (argc == 2 && strcmp(argv[1], cases[i].name) == 0) {
      cases[i].run();
      found = 1;
    }
  require(found, "usage: unusual_patterns CASE");
  if (rank == 0) printf("right\n");
  MPI_Finalize();
  return 0;
}
