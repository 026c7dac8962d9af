/* Programs that a user of include/starling/patterns.h may write and that others have not: each case is one of them, and
 * checks every exchange. Usage: unusual_patterns CASE */
#include <mpi.h>
#include <pthread.h>
#include <starling/patterns.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_CELLS = 4096, MOST_DIMENSIONS = 3, MOST_RANKS = 8 };

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

/* ---- a grid of some ranks ---- */

static void a_grid_of_some_ranks(void) {
  const int sizes[] = {ranks - 1, 1}, extents[] = {6, 6};
  double cells[36] = {0};
  MPI_Comm grid = grid_of(2, sizes, 1);
  if (grid == MPI_COMM_NULL) return;
  int place = 0;
  MPI_Comm_rank(grid, &place);
  starling_request request =
      request_of(halos(), topology_of(grid, 0), vector_of(2, extents, 1, MPI_DOUBLE, cells), "brute-force");
  for (int round = 0; round < 50; ++round) {
    cells[4 * 6 + 1] = value(place, round, 0, 0);
    is(starling_request_start(request), 0, "a start");
    require(cells[1] == value((place + ranks - 2) % (ranks - 1), round, 0, 0), "a wrong halo");
  }
  is(starling_request_free(&request), 0, "freeing a request");
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

/* Whether a timer may hold a request is known without its communicator. */
static void communicator_goes_before_a_timer(void) {
  const int sizes[] = {ranks, 1}, extents[] = {6, 6};
  double cells[36] = {0};
  starling_request requests[3] = {NULL};
  starling_timer timer = NULL;
  for (int i = 0; i < 2; ++i) {
    MPI_Comm grid = grid_of(2, sizes, 1);
    requests[i] = request_of(halos(), topology_of(grid, 0), vector_of(2, extents, 1, MPI_DOUBLE, cells), "brute-force");
    MPI_Comm_free(&grid);
  }
  MPI_Comm backwards;
  MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &backwards);
  starling_topology topology = NULL;
  is(starling_topology_grid(0, NULL, NULL, NULL, backwards, &topology), 0, "a topology");
  requests[2] = request_of(two_speeds(), topology, NULL, "brute-force");
  MPI_Comm_free(&backwards);
  is(starling_timer_create(2, requests, &timer), 0, "a timer");
  is(starling_timer_add(timer, requests[2]), STARLING_ERROR_TOPOLOGY, "a request of ranks in another order");
  for (int round = 0; round < 50; ++round) {
    is(starling_timer_start(timer), 0, "a timer's start");
    for (int i = 0; i < 2; ++i) {
      cells[4 * 6 + 1] = value(rank, round, 0, 0);
      is(starling_request_start(requests[i]), 0, "a start");
      require(cells[1] == value((rank + ranks - 1) % ranks, round, 0, 0), "a wrong halo");
    }
    is(starling_timer_stop(timer), 0, "a timer's stop");
  }
  is(starling_timer_free(&timer), 0, "freeing a timer");
  for (int i = 0; i < 3; ++i) is(starling_request_free(&requests[i]), 0, "freeing a request");
}

/* ---- looks at other functions, after one was chosen ---- */

static const double seconds_of_look[] = {1e-3, 1.5e-3};
static int slow_calls;

static int tells_more(starling_request request, void* context) {
  const int number = *(const int*)context;
  slow_calls += number;
  return starling_request_update(request, seconds_of_look[number]);
}

static void looks_change_no_winner(void) {
  static int numbers[] = {0, 1};
  static const char* const names[] = {"fast", "slow"};
  starling_function functions[2] = {NULL, NULL};
  starling_function_set set = NULL;
  for (int i = 0; i < 2; ++i)
    is(starling_function_create(names[i], tells_more, &numbers[i], NULL, NULL, &functions[i]), 0, "a function");
  is(starling_function_set_create("looked_at", 2, functions, &set), 0, "a set");
  starling_request request = request_of(set, NULL, NULL, "brute-force");
  for (int i = 0; i < 3000; ++i) {
    const char* winner = "fast";
    is(starling_request_start(request), 0, "a start");
    const int code = starling_request_winner(request, &winner);
    require(code == 0 || (code == STARLING_ERROR_UNDECIDED && i < 100), "no winner");
    require(strcmp(winner, "fast") == 0, "a look at a function makes it the winner");
  }
  require(slow_calls > 1, "no look at the function that was given up after a call");
  is(starling_request_free(&request), 0, "freeing a request");
  is(starling_function_set_free(&set), 0, "freeing a set");
}

typedef struct {
  const char* served; /* the function of the present section */
  int looks;          /* at the one that was not chosen */
} Looked;
static Looked looked[2];

static void work_for(double seconds) {
  const double begun = MPI_Wtime();
  while (MPI_Wtime() - begun < seconds) continue;
}

static int is_quick(starling_request request, void* context) {
  (void)request;
  ((Looked*)context)->served = "quick";
  work_for(1e-5);
  return 0;
}

static int is_slow(starling_request request, void* context) {
  (void)request;
  ((Looked*)context)->served = "slow";
  work_for(4e-5);
  return 0;
}

/* Whether both requests of a timer looked at the function that they had given up, each in sections of its own. */
static int each_looks_alone(void) {
  starling_request requests[2] = {NULL, NULL};
  starling_timer timer = NULL;
  for (int i = 0; i < 2; ++i) {
    starling_function functions[2] = {NULL, NULL};
    starling_function_set set = NULL;
    looked[i].looks = 0;
    is(starling_function_create("quick", is_quick, &looked[i], NULL, NULL, &functions[0]), 0, "a function");
    is(starling_function_create("slow", is_slow, &looked[i], NULL, NULL, &functions[1]), 0, "a function");
    is(starling_function_set_create("of_timer", 2, functions, &set), 0, "a set");
    requests[i] = request_of(set, NULL, NULL, "brute-force");
  }
  is(starling_timer_create(2, requests, &timer), 0, "a timer");
  for (int section = 0; section < 30000 && (looked[0].looks == 0 || looked[1].looks == 0); ++section) {
    const char* winners[2] = {NULL, NULL};
    int trying = 0;
    for (int i = 0; i < 2; ++i) {
      const int code = starling_request_winner(requests[i], &winners[i]);
      require(code == 0 || code == STARLING_ERROR_UNDECIDED, "no answer about a winner");
      if (code != 0) winners[i] = NULL;
    }
    is(starling_timer_start(timer), 0, "a timer's start");
    for (int i = 0; i < 2; ++i) is(starling_request_start(requests[i]), 0, "a start");
    is(starling_timer_stop(timer), 0, "a timer's stop");
    for (int i = 0; i < 2; ++i) {
      /* Until it has a winner, a request that tries nothing keeps the first function. */
      const int tries = strcmp(winners[i] != NULL ? winners[i] : "quick", looked[i].served) != 0;
      looked[i].looks += tries && winners[i] != NULL;
      trying += tries;
    }
    require(trying < 2, "two requests try functions in one section");
  }
  is(starling_timer_free(&timer), 0, "freeing a timer");
  for (int i = 0; i < 2; ++i) is(starling_request_free(&requests[i]), 0, "freeing a request");
  return looked[0].looks > 0 && looked[1].looks > 0;
}

/* With STARLING_DRIFT so large that no search is begun anew. On a busy machine the slow one may win, or a function be
 * given up after several calls, which gets no look: then new requests begin. */
static void a_timer_looks_at_one_request_at_a_time(void) {
  int times = 0;
  while (times < 20 && !each_looks_alone()) ++times;
  require(times < 20, "no look at functions that were given up");
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
  /* Its functions are as fast as each other: after some disturbance one may be looked at again. */
  int exploring = 1;
  for (int i = 0; i < 200 || (exploring && i < 5000); ++i) {
    is(starling_request_start(outer), 0, "a start");
    is(starling_request_exploring(outer, &exploring), 0, "exploring");
  }
  require(!exploring, "a request of functions with requests does not choose");
  require(settles(inner_request), "a request within functions does not choose");
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

/* ---- four dimensions, two values in a cell, and corners ---- */

static void four_dimensions_with_corners(void) {
  enum { WIDTH = 2, VALUES = 2 };
  const int inside[] = {2, 4, 3, 2}, sizes[] = {1, ranks, 1, 1}, periods[] = {1, 1, 0, 1};
  int extents[4], cells = VALUES;
  for (int i = 0; i < 4; ++i) cells *= extents[i] = inside[i] + 2 * WIDTH;
  double* const data = malloc((size_t)cells * sizeof *data);
  require(data != NULL, "no memory");
  MPI_Comm grid;
  MPI_Cart_create(MPI_COMM_WORLD, 4, sizes, periods, 0, &grid);
  starling_topology topology = topology_of(grid, 1);
  starling_map map = NULL;
  starling_vector vector = NULL;
  is(starling_map_halo(WIDTH, &map), 0, "a map");
  is(starling_vector_register(4, extents, VALUES, map, MPI_DOUBLE, STARLING_ORDER_C, data, &vector), 0, "a vector");
  starling_request request = request_of(halos(), topology, vector, "brute-force");
  for (int round = 0; round < 230; ++round) {
    for (int filled = 0; filled < 2; ++filled) { /* what is of the block before the exchange, then all after it */
      for (int i = 0; i < cells / VALUES; ++i) {
        int at[4], rest = i, is_inside = 1, is_outside = 0, owner = rank;
        for (int d = 4; d-- > 0; rest /= extents[d]) {
          at[d] = rest % extents[d] - WIDTH;
          if (at[d] >= 0 && at[d] < inside[d]) continue;
          is_inside = 0;
          if (!periods[d]) is_outside = 1;
          if (d == 1) owner = (rank + (at[d] < 0 ? ranks - 1 : 1)) % ranks;
          at[d] = (at[d] + inside[d]) % inside[d];
        }
        const double wanted = value(owner, round, at[0] * 4 + at[1], at[2] * 2 + at[3]);
        for (int j = 0; j < VALUES; ++j) {
          double* const cell = data + i * VALUES + j;
          if (filled == 0) *cell = is_inside ? wanted + j * 0.5 : -1;
          if (filled == 1 && !is_outside) require(*cell == wanted + j * 0.5, "a wrong cell in four dimensions");
          if (filled == 1 && is_outside) require(*cell == -1, "a cell beyond the end was changed");
        }
      }
      if (filled == 0) is(starling_request_start(request), 0, "a start");
    }
  }
  is(starling_request_free(&request), 0, "freeing a request");
  is(starling_vector_free(&vector), 0, "freeing a vector");
  is(starling_topology_free(&topology), 0, "freeing a topology");
  MPI_Comm_free(&grid);
  free(data);
}

/* ---- a halo that is wider than the block in one dimension only, on one rank only ---- */

static void too_wide_in_one_dimension(void) {
  const int sizes[] = {ranks, 1};
  double cells[MOST_CELLS] = {0};
  MPI_Comm line = grid_of(2, sizes, 1);
  starling_topology topology = topology_of(line, 0);
  starling_map map = NULL;
  is(starling_map_halo(2, &map), 0, "a map");
  const int extents[] = {rank == ranks - 1 ? 5 : 6, 9};
  starling_vector vector = NULL, other = NULL;
  const int code = starling_vector_register(2, extents, 0, map, MPI_DOUBLE, STARLING_ORDER_C, cells, &vector);
  is(code, rank == ranks - 1 ? STARLING_ERROR_HALO : STARLING_SUCCESS, "a vector that is too narrow on one rank");
  require((vector == NULL) == (code != STARLING_SUCCESS), "a vector of an error");
  starling_request request = NULL;
  require(starling_request_create(halos(), topology, vector, vector, 0, "auto", &request) != STARLING_SUCCESS,
          "a request that one rank has no vector for");
  const int wide_enough[] = {6, 9};
  is(starling_vector_register(2, wide_enough, 0, map, MPI_DOUBLE, STARLING_ORDER_C, cells, &other), 0, "a vector");
  request = request_of(halos(), topology, other, "auto");
  for (int i = 0; i < 60; ++i) is(starling_request_start(request), 0, "a start after the error");
  is(starling_request_free(&request), 0, "freeing a request");
  MPI_Comm_free(&line);
}

/* ---- one timer over requests of different sets, vectors and communicators ---- */

static void a_timer_over_different_requests(void) {
  enum { ROWS = 4, COLUMNS = 6 };
  const int sizes[] = {ranks, 1}, extents[] = {ROWS + 2, COLUMNS + 2}, extent = 2 * COLUMNS + 4;
  static double plane[(ROWS + 2) * (COLUMNS + 2)];
  static int line_cells[2 * COLUMNS + 4];
  MPI_Comm grid = grid_of(2, sizes, 1), line = grid_of(1, &ranks, 1), turned;
  MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &turned);
  starling_topology of_grid = topology_of(grid, 0), of_line = topology_of(line, 0), of_turned = NULL;
  is(starling_topology_grid(0, NULL, NULL, NULL, turned, &of_turned), 0, "a topology without dimensions");
  starling_vector of_plane = vector_of(2, extents, 1, MPI_DOUBLE, plane);
  starling_vector of_cells = vector_of(1, &extent, 2, MPI_INT, line_cells);
  starling_function_set set = two_speeds();
  starling_request requests[4] = {request_of(halos(), of_grid, of_plane, "auto"),
                                  request_of(halos(), of_line, of_cells, "brute-force"),
                                  request_of(set, NULL, NULL, "auto"), request_of(set, of_turned, NULL, "auto")};
  starling_timer timer = NULL;
  is(starling_timer_create(4, requests, &timer), ranks > 1 ? STARLING_ERROR_TOPOLOGY : 0, "ranks in another order");
  is(starling_timer_create(3, requests, &timer), 0, "a timer");
  const int up = (rank + ranks - 1) % ranks, down = (rank + 1) % ranks;
  for (int round = 0; round < 600; ++round) {
    for (int i = 0; i < COLUMNS; ++i) {
      plane[(COLUMNS + 2) + 1 + i] = value(rank, round, 0, i);
      plane[ROWS * (COLUMNS + 2) + 1 + i] = value(rank, round, ROWS - 1, i);
    }
    for (int i = 0; i < 2 * COLUMNS; ++i) line_cells[2 + i] = 1000 * rank + round + i;
    is(starling_timer_start(timer), 0, "a timer's start");
    is(starling_request_init(requests[0]), 0, "an init");
    is(starling_request_init(requests[1]), 0, "an init");
    is(starling_request_start(requests[2]), 0, "a start");
    is(starling_request_wait(requests[1]), 0, "a wait");
    is(starling_request_wait(requests[0]), 0, "a wait");
    is(starling_timer_stop(timer), 0, "a timer's stop");
    for (int i = 0; i < COLUMNS; ++i) {
      require(plane[1 + i] == value(up, round, ROWS - 1, i), "a wrong row above");
      require(plane[(ROWS + 1) * (COLUMNS + 2) + 1 + i] == value(down, round, 0, i), "a wrong row below");
    }
    for (int i = 0; i < 2; ++i) {
      require(line_cells[i] == 1000 * up + round + 2 * COLUMNS - 2 + i, "a wrong left halo");
      require(line_cells[2 + 2 * COLUMNS + i] == 1000 * down + round + i, "a wrong right halo");
    }
  }
  is(starling_timer_free(&timer), 0, "freeing a timer");
  for (int i = 0; i < 4; ++i) is(starling_request_free(&requests[i]), 0, "freeing a request");
  MPI_Comm_free(&grid);
  MPI_Comm_free(&line);
  MPI_Comm_free(&turned);
}

/* ---- functions that call collectives of MPI, on the request's communicator and on others ---- */

static int by_reduce(starling_request request, void* context) {
  MPI_Comm comm;
  int here = 0, all = 0, root = -1;
  double* data = NULL;
  double sum = 0;
  (void)context;
  is(starling_request_communicator(request, &comm, &here, &all), 0, "the communicator");
  is(starling_request_data(request, (void**)&data, NULL), 0, "the data");
  MPI_Reduce(data, &sum, 1, MPI_DOUBLE, MPI_SUM, 0, comm);
  MPI_Bcast(&sum, 1, MPI_DOUBLE, 0, comm);
  MPI_Allreduce(&here, &root, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  require(root == all - 1, "a wrong maximum");
  data[1] = sum;
  return 0;
}

static int by_allgather(starling_request request, void* context) {
  MPI_Comm comm, made;
  double* data = NULL;
  double all[64];
  (void)context;
  is(starling_request_communicator(request, &comm, NULL, NULL), 0, "the communicator");
  is(starling_request_data(request, (void**)&data, NULL), 0, "the data");
  MPI_Comm_dup(comm, &made);
  MPI_Allgather(data, 1, MPI_DOUBLE, all, 1, MPI_DOUBLE, made);
  MPI_Comm_free(&made);
  data[1] = 0;
  for (int i = 0; i < ranks; ++i) data[1] += all[i];
  return 0;
}

static void functions_of_collectives(void) {
  starling_function functions[2] = {NULL, NULL};
  starling_function_set set = NULL;
  starling_map map = NULL;
  starling_vector vector = NULL;
  const int extent = 2;
  double data[2];
  is(starling_map_all(&map), 0, "a map");
  is(starling_vector_register(1, &extent, 0, map, MPI_DOUBLE, STARLING_ORDER_C, data, &vector), 0, "a vector");
  is(starling_function_create("reduce", by_reduce, NULL, NULL, NULL, &functions[0]), 0, "a function");
  is(starling_function_create("allgather", by_allgather, NULL, NULL, NULL, &functions[1]), 0, "a function");
  is(starling_function_set_create("sums", 2, functions, &set), 0, "a set");
  starling_request request = request_of(set, NULL, vector, "auto");
  for (int round = 0; round < 200; ++round) {
    data[0] = rank + round;
    is(starling_request_start(request), 0, "a start");
    require(data[1] == ranks * (ranks - 1) / 2 + ranks * round, "a wrong sum");
  }
  is(starling_request_free(&request), 0, "freeing a request");
}

/* ---- threads, each with requests of its own on a communicator of its own ---- */

typedef struct {
  MPI_Comm line;
  int number;
} OfThread;

static void* exchanges_in_a_thread(void* argument) {
  const OfThread* const of = argument;
  enum { CELLS = 5 };
  const int extent = CELLS + 2, up = (rank + ranks - 1) % ranks, down = (rank + 1) % ranks;
  double cells[CELLS + 2];
  starling_topology topology = topology_of(of->line, 0);
  starling_vector vector = vector_of(1, &extent, 1, MPI_DOUBLE, cells);
  starling_request request = request_of(halos(), topology, vector, of->number ? "auto" : "attribute");
  for (int round = 0; round < 30; ++round) {
    for (int i = 0; i < CELLS; ++i) cells[1 + i] = value(rank, round, of->number, i);
    is(starling_request_start(request), 0, "a start in a thread");
    require(cells[0] == value(up, round, of->number, CELLS - 1), "a wrong left halo in a thread");
    require(cells[CELLS + 1] == value(down, round, of->number, 0), "a wrong right halo in a thread");
  }
  is(starling_request_free(&request), 0, "freeing a request");
  is(starling_vector_free(&vector), 0, "freeing a vector");
  is(starling_topology_free(&topology), 0, "freeing a topology");
  return NULL;
}

static void threads_with_their_own_requests(void) {
  enum { THREADS = 3 };
  OfThread of[THREADS];
  pthread_t threads[THREADS];
  int provided = 0;
  MPI_Query_thread(&provided);
  require(provided == MPI_THREAD_MULTIPLE, "no threads");
  for (int i = 0; i < THREADS; ++i) of[i] = (OfThread){grid_of(1, &ranks, 1), i};
  for (int i = 0; i < THREADS; ++i) pthread_create(&threads[i], NULL, exchanges_in_a_thread, &of[i]);
  for (int i = 0; i < THREADS; ++i) pthread_join(threads[i], NULL);
  for (int i = 0; i < THREADS; ++i) MPI_Comm_free(&of[i].line);
}

/* Elements that rank `from` has for rank `to`. */
static int elements(int from, int to) {
  return (2 * from + to) % 4;
}

/* A vector of `of_each` elements for each rank. */
static starling_vector vector_of_blocks(const int* of_each, int* data) {
  int places[MOST_RANKS], end = 0;
  for (int i = 0; i < ranks; end += of_each[i++]) places[i] = end;
  starling_map map = NULL;
  starling_vector made = NULL;
  is(starling_map_list(ranks, of_each, places, &map), 0, "a map");
  is(starling_vector_register(1, &end, 0, map, MPI_INT, STARLING_ORDER_C, data, &made), 0, "a vector");
  is(starling_map_free(&map), 0, "freeing a map");
  return made;
}

static starling_vector vector_of_one_block(int size, int* data) {
  starling_map map = NULL;
  starling_vector made = NULL;
  is(starling_map_all(&map), 0, "a map");
  is(starling_vector_register(1, &size, 0, map, MPI_INT, STARLING_ORDER_C, data, &made), 0, "a vector");
  is(starling_map_free(&map), 0, "freeing a map");
  return made;
}

/* Collectives in which not all ranks know how large blocks are, two of each in flight at once. */
static void blocks_of_unknown_sizes_in_flight(void) {
  enum { KINDS = 3, AT_ONCE = 2, STARTS = 60 };
  static const char* const names[KINDS] = {"ialltoallv", "igatherv", "iscatterv"};
  static int sent[KINDS][AT_ONCE][MOST_CELLS], got[KINDS][AT_ONCE][MOST_CELLS];
  const int root = ranks - 1;
  starling_request requests[KINDS][AT_ONCE];
  starling_vector vectors[KINDS][AT_ONCE][2];
  int out[MOST_RANKS], in[MOST_RANKS];
  for (int i = 0; i < ranks; ++i) out[i] = elements(rank, i), in[i] = elements(i, rank);
  for (int kind = 0; kind < KINDS; ++kind) {
    starling_function_set set = NULL;
    is(starling_function_set_predefined(names[kind], &set), 0, names[kind]);
    for (int one = 0; one < AT_ONCE; ++one) {
      starling_vector* const both = vectors[kind][one];
      int *const from = sent[kind][one], *const into = got[kind][one];
      both[0] = kind == 1 ? vector_of_one_block(out[root], from) : vector_of_blocks(out, from);
      both[1] = kind == 2 ? vector_of_one_block(in[root], into) : vector_of_blocks(in, into);
      is(starling_request_create(set, NULL, both[0], both[1], root, "brute-force", &requests[kind][one]), 0,
         "a request");
    }
  }
  for (int start = 0; start < STARTS; ++start) {
    for (int kind = 0; kind < KINDS; ++kind)
      for (int one = 0; one < AT_ONCE; ++one) {
        int* next = sent[kind][one];
        for (int to = kind == 1 ? root : 0; to < (kind == 1 ? root + 1 : ranks); ++to)
          for (int i = 0; i < out[to]; ++i) *next++ = 1000 * start + 100 * rank + 10 * to + i;
        memset(got[kind][one], 0, sizeof got[kind][one]);
        is(starling_request_init(requests[kind][one]), 0, "init");
      }
    for (int kind = KINDS; kind-- > 0;)
      for (int one = 0; one < AT_ONCE; ++one) {
        is(starling_request_wait(requests[kind][one]), 0, "wait");
        if (kind == 1 && rank != root) continue;
        const int* next = got[kind][one];
        for (int from = kind == 2 ? root : 0; from < (kind == 2 ? root + 1 : ranks); ++from)
          for (int i = 0; i < in[from]; ++i) require(*next++ == 1000 * start + 100 * from + 10 * rank + i, names[kind]);
      }
  }
  for (int kind = 0; kind < KINDS; ++kind)
    for (int one = 0; one < AT_ONCE; ++one) {
      is(starling_request_free(&requests[kind][one]), 0, "freeing a request");
      for (int which = 0; which < 2; ++which)
        is(starling_vector_free(&vectors[kind][one][which]), 0, "freeing a vector");
    }
}

static const struct {
  const char* name;
  void (*run)(void);
} cases[] = {
    {"blocks_of_all_sizes", blocks_of_all_sizes},
    {"many_requests", many_requests},
    {"one_rank_is_wrong", one_rank_is_wrong},
    {"predefined_types_of_two_values", predefined_types_of_two_values},
    {"blocks_of_unknown_sizes_in_flight", blocks_of_unknown_sizes_in_flight},
    {"communicator_goes_first", communicator_goes_first},
    {"communicator_goes_before_a_timer", communicator_goes_before_a_timer},
    {"a_grid_of_some_ranks", a_grid_of_some_ranks},
    {"parts_that_fail_on_one_rank", parts_that_fail_on_one_rank},
    {"timers_end_within_sections", timers_end_within_sections},
    {"looks_change_no_winner", looks_change_no_winner},
    {"a_timer_looks_at_one_request_at_a_time", a_timer_looks_at_one_request_at_a_time},
    {"requests_within_functions", requests_within_functions},
    {"halves_and_own_neighbours", halves_and_own_neighbours},
    {"trials_longer_than_the_run", trials_longer_than_the_run},
    {"four_dimensions_with_corners", four_dimensions_with_corners},
    {"too_wide_in_one_dimension", too_wide_in_one_dimension},
    {"a_timer_over_different_requests", a_timer_over_different_requests},
    {"functions_of_collectives", functions_of_collectives},
    {"threads_with_their_own_requests", threads_with_their_own_requests},
};

int main(int argc, char** argv) {
  int provided = 0;
  /* Not for all cases: with threads Open MPI 4.1 may make no windows. */
  const int has_threads = argc == 2 && strncmp(argv[1], "threads", 7) == 0;
  MPI_Init_thread(&argc, &argv, has_threads ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE, &provided);
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
