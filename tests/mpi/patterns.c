/* A program's own function set by the native interface: three functions with two attributes, whose times it tells
 * itself, so that the fastest is known. Checks the winner, what functions learn of themselves, errors, requests of
 * overlapping lifetimes in any order, timers, and a function that fails on one rank.
 * Usage: patterns [strategy of the requests] */
#include <mpi.h>
#include <starling/patterns.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FUNCTIONS = 3, STARTS = 200 };

static int rank, ranks;
static int calls[FUNCTIONS];
static double seconds[FUNCTIONS] = {3e-3, 1e-3, 2e-3};
static int failing_rank = -1; /* on which function 1 fails */

static void expect(int good, const char* what) {
  if (good) return;
  fprintf(stderr, "rank %d: %s (%s)\n", rank, what, starling_error_detail());
  MPI_Abort(MPI_COMM_WORLD, 1);
  exit(1);
}

static void is(int code, int wanted, const char* what) {
  if (code == wanted) return;
  fprintf(stderr, "rank %d: %s returned %d (%s: %s), not %d\n", rank, what, code, starling_error_text(code),
          starling_error_detail(), wanted);
  MPI_Abort(MPI_COMM_WORLD, 1);
  exit(1);
}

/* Passes a number around a ring, and tells what it took: some noise on each rank. */
static int pass_on(starling_request request, void* context) {
  const int number = *(const int*)context;
  MPI_Comm comm;
  int here = 0, all = 0;
  is(starling_request_communicator(request, &comm, &here, &all), STARLING_SUCCESS, "communicator");
  int sent = here, got = -1;
  MPI_Sendrecv(&sent, 1, MPI_INT, (here + 1) % all, 5, &got, 1, MPI_INT, (here + all - 1) % all, 5, comm,
               MPI_STATUS_IGNORE);
  expect(got == (here + all - 1) % all, "a wrong number came");
  int partners = 0, handling = 0;
  is(starling_request_attribute(request, "partners", &partners), STARLING_SUCCESS, "attribute");
  is(starling_request_attribute(request, "handling", &handling), STARLING_SUCCESS, "attribute");
  expect(partners == (number == 2) && handling == 10 + (number == 1), "a function has another's attributes");
  is(starling_request_attribute(request, "colour", &handling), STARLING_ERROR_ATTRIBUTE, "an unknown attribute");
  is(starling_request_start(request), STARLING_ERROR_STATE, "a start within a function");
  ++calls[number];
  is(starling_request_update(request, seconds[number] * (1 + 0.01 * (calls[number] % 7) + 0.001 * rank)),
     STARLING_SUCCESS, "update");
  return number == 1 && here == failing_rank ? 42 : 0;
}

static starling_function_set make_set(const char* name) {
  static int numbers[FUNCTIONS] = {0, 1, 2};
  const int partner_values[] = {0, 1}, handling_values[] = {10, 11};
  const char* const partner_names[] = {"all", "pair"};
  const int values[FUNCTIONS][2] = {{0, 10}, {0, 11}, {1, 10}};
  const char* const names[FUNCTIONS] = {"slow", "fast", "medium"};
  starling_attribute attributes[2];
  starling_attribute_set attribute_set;
  starling_function functions[FUNCTIONS];
  starling_function_set set;
  is(starling_attribute_create("partners", 2, partner_values, partner_names, &attributes[0]), 0, "attribute");
  is(starling_attribute_create("handling", 2, handling_values, NULL, &attributes[1]), 0, "attribute");
  is(starling_attribute_set_create(2, attributes, &attribute_set), 0, "attribute set");
  for (int i = 0; i < FUNCTIONS; ++i)
    is(starling_function_create(names[i], pass_on, &numbers[i], attribute_set, values[i], &functions[i]), 0,
       "function");
  is(starling_function_set_create(name, FUNCTIONS, functions, &set), 0, "function set");
  for (int i = 0; i < FUNCTIONS; ++i) is(starling_function_free(&functions[i]), 0, "freeing a function");
  is(starling_attribute_set_free(&attribute_set), 0, "freeing an attribute set");
  for (int i = 0; i < 2; ++i) is(starling_attribute_free(&attributes[i]), 0, "freeing an attribute");
  return set;
}

static void check_errors(starling_function_set set) {
  starling_topology topology = NULL;
  starling_map map = NULL, wide = NULL;
  starling_vector vector = NULL;
  starling_request request = NULL;
  starling_attribute attribute = NULL;
  starling_attribute_set attributes = NULL;
  starling_function function = NULL;
  double data[36];
  const int extents[] = {6, 6}, values[] = {1, 2, 1}, wrong[] = {5};
  is(starling_topology_cartesian(MPI_COMM_WORLD, 0, &topology), STARLING_ERROR_COMMUNICATOR, "a topology of no grid");
  is(starling_topology_cartesian(MPI_COMM_NULL, 0, &topology), STARLING_ERROR_COMMUNICATOR, "a topology of nothing");
  is(starling_map_halo(-1, &map), STARLING_ERROR_HALO, "a negative halo");
  is(starling_map_halo(1, &map), 0, "a halo");
  is(starling_map_halo(3, &wide), 0, "a wide halo");
  is(starling_vector_register(0, extents, 0, map, MPI_DOUBLE, STARLING_ORDER_C, data, &vector),
     STARLING_ERROR_DIMENSIONS, "a vector without dimensions");
  is(starling_vector_register(2, extents, 0, wide, MPI_DOUBLE, STARLING_ORDER_C, data, &vector), STARLING_ERROR_HALO,
     "a vector that is all halo");
  const int narrow[] = {8, 8};
  is(starling_vector_register(2, narrow, 0, wide, MPI_DOUBLE, STARLING_ORDER_C, data, &vector), STARLING_ERROR_HALO,
     "a halo that is wider than the block");
  expect(strstr(starling_error_detail(), "dimension 0 has 8 elements, of which 2 lie between halos of 3") != NULL,
         "the detail does not say why");
  is(starling_vector_register(2, extents, 0, map, MPI_DATATYPE_NULL, STARLING_ORDER_C, data, &vector),
     STARLING_ERROR_DATATYPE, "a vector of no datatype");
  is(starling_vector_register(2, extents, 0, map, MPI_DOUBLE, STARLING_ORDER_C, NULL, &vector), STARLING_ERROR_ARGUMENT,
     "a vector without data");
  is(starling_vector_register(2, extents, 0, map, MPI_DOUBLE, STARLING_ORDER_C, data, &vector), 0, "a vector");
  is(starling_attribute_create("twice", 3, values, NULL, &attribute), STARLING_ERROR_ARGUMENT, "equal values");
  is(starling_attribute_create("once", 2, values, NULL, &attribute), 0, "an attribute");
  is(starling_attribute_set_create(1, &attribute, &attributes), 0, "an attribute set");
  is(starling_function_create("f", pass_on, NULL, attributes, wrong, &function), STARLING_ERROR_ATTRIBUTE,
     "a value that the attribute does not have");
  is(starling_function_create("f", NULL, NULL, NULL, NULL, &function), STARLING_ERROR_FUNCTION, "no function");
  const int* const excluded[] = {values, values + 1};
  starling_function_set none = NULL;
  is(starling_function_set_combinations("none", pass_on, NULL, NULL, attributes, 2, excluded, &none),
     STARLING_ERROR_ATTRIBUTE, "a set without combinations");
  is(starling_request_create(set, NULL, NULL, NULL, 0, "luck", &request), STARLING_ERROR_STRATEGY, "no such strategy");
  starling_function_set halos = NULL;
  is(starling_function_set_predefined("neighborhood", &halos), 0, "a predefined set");
  is(starling_function_set_free(&halos), STARLING_ERROR_HANDLE, "freeing a predefined set");
  MPI_Comm line;
  const int periodic = 0;
  MPI_Cart_create(MPI_COMM_WORLD, 1, &ranks, &periodic, 0, &line);
  is(starling_topology_cartesian(line, 0, &topology), 0, "a topology");
  is(starling_request_create(halos, topology, vector, vector, 0, NULL, &request), STARLING_ERROR_DIMENSIONS,
     "a vector of two dimensions on a line");
  starling_vector freed = vector;
  is(starling_vector_free(&vector), 0, "freeing a vector");
  expect(vector == NULL, "a freed handle is not null");
  is(starling_vector_free(&freed), STARLING_ERROR_HANDLE, "a freed handle");
  is(starling_request_create(set, topology, freed, NULL, 0, NULL, &request), STARLING_ERROR_HANDLE, "a freed vector");
  is(starling_request_create((starling_function_set)topology, topology, NULL, NULL, 0, NULL, &request),
     STARLING_ERROR_HANDLE, "a topology for a set");
  is(starling_topology_free(&topology), 0, "freeing a topology");
  MPI_Comm_free(&line);
  is(starling_attribute_set_free(&attributes), 0, "freeing attributes");
  is(starling_attribute_free(&attribute), 0, "freeing an attribute");
  is(starling_map_free(&map), 0, "freeing a map");
  is(starling_map_free(&wide), 0, "freeing a map");
}

static void check_winner(starling_request request, const char* wanted) {
  const char* winner = NULL;
  int exploring = 1;
  is(starling_request_exploring(request, &exploring), 0, "exploring");
  expect(!exploring, "functions are still tried");
  is(starling_request_winner(request, &winner), 0, "winner");
  expect(strcmp(winner, wanted) == 0, winner);
}

int main(int argc, char** argv) {
  starling_request early = NULL;
  is(starling_request_create(NULL, NULL, NULL, NULL, 0, NULL, &early), STARLING_ERROR_INACTIVE, "before MPI_Init");
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const char* const strategy = argc > 1 ? argv[1] : NULL;
  starling_function_set set = make_set("ring of mine");
  check_errors(set);

  /* Three requests of overlapping lifetimes, started in turns of any length, each with a state of its own. */
  starling_request requests[3] = {NULL, NULL, NULL};
  is(starling_request_create(set, NULL, NULL, NULL, 0, strategy, &requests[0]), 0, "a request");
  is(starling_request_wait(requests[0]), STARLING_ERROR_STATE, "a wait without an init");
  const char* winner = NULL;
  const char* const history = getenv("STARLING_HISTORY");
  const int knows_nothing = history != NULL && strcmp(history, "off") == 0; /* else earlier runs may have found it */
  if (knows_nothing) is(starling_request_winner(requests[0], &winner), STARLING_ERROR_UNDECIDED, "an early winner");
  for (int i = 0; i < 7; ++i) is(starling_request_start(requests[0]), 0, "a start");
  is(starling_request_create(set, NULL, NULL, NULL, 0, strategy, &requests[1]), 0, "a second request");
  for (int i = 0; i < STARTS; ++i) {
    is(starling_request_start(requests[0]), 0, "a start");
    if (i % 3 != 1) is(starling_request_start(requests[1]), 0, "a start of the second");
    if (i == 5) is(starling_request_create(set, NULL, NULL, NULL, 0, strategy, &requests[2]), 0, "a third request");
    if (i > 5) {
      is(starling_request_init(requests[2]), 0, "an init");
      is(starling_request_free(&requests[2]), STARLING_ERROR_STATE, "freeing a request in flight");
      int complete = 0;
      is(starling_request_progress(requests[2], &complete), 0, "progress");
      expect(complete, "a function without parts has not ended");
      is(starling_request_wait(requests[2]), 0, "a wait");
    }
  }
  for (int i = 0; i < 3; ++i) check_winner(requests[i], "fast");
  double mean = 0, filtered = 0;
  int outliers = -1;
  if (knows_nothing) { /* else it may be left out */
    is(starling_request_figures(requests[0], "slow", &mean, &filtered, &outliers), 0, "figures");
    expect(mean > 2.9e-3 && mean < 3.4e-3 && filtered <= mean && outliers == 0, "wrong figures");
  }
  is(starling_request_figures(requests[0], "slower", &mean, &filtered, &outliers), STARLING_ERROR_FUNCTION,
     "figures of no function");
  starling_request freed = requests[1];
  for (int i = 0; i < 3; ++i) is(starling_request_free(&requests[i]), 0, "freeing a request");
  is(starling_request_start(freed), STARLING_ERROR_HANDLE, "a start of a freed request");
  is(starling_request_start(NULL), STARLING_ERROR_HANDLE, "a start of nothing");

  /* The fastest function fails on the last rank: its error, and from the next agreement on another function. */
  failing_rank = ranks - 1;
  is(starling_request_create(set, NULL, NULL, NULL, 0, strategy, &requests[0]), 0, "a request");
  int failures = 0;
  for (int i = 0; i < STARTS; ++i) {
    const int code = starling_request_start(requests[0]);
    if (code != 0) {
      is(code, STARLING_ERROR_FAILED, "a failing function");
      expect(strstr(starling_error_detail(), "function fast of ring_of_mine failed") != NULL, "the wrong detail");
    }
    failures += code != 0;
  }
  expect(rank == failing_rank ? failures > 0 : failures == 0, "errors on the wrong rank");
  check_winner(requests[0], "medium");
  is(starling_request_free(&requests[0]), 0, "freeing a request");
  failing_rank = -1;

  /* Two requests by the time of a section. */
  starling_timer timer = NULL;
  for (int i = 0; i < 2; ++i)
    is(starling_request_create(set, NULL, NULL, NULL, 0, strategy, &requests[i]), 0, "a request");
  is(starling_timer_create(2, requests, &timer), 0, "a timer");
  is(starling_timer_stop(timer), STARLING_ERROR_STATE, "a stop before a start");
  int settled[2] = {0, 0};
  for (int i = 0; i < 20 * STARTS && !(settled[0] && settled[1]); ++i) {
    is(starling_timer_start(timer), 0, "a timer's start");
    is(starling_request_start(requests[0]), 0, "a start in a section");
    is(starling_request_start(requests[1]), 0, "a start in a section");
    is(starling_request_start(requests[0]), 0, "a second start in a section");
    is(starling_timer_stop(timer), 0, "a timer's stop");
    for (int j = 0; j < 2; ++j) {
      const char* chosen = NULL;
      settled[j] |= starling_request_winner(requests[j], &chosen) == STARLING_SUCCESS;
    }
    expect(settled[0] || !settled[1], "the second request has chosen before the first");
  }
  expect(settled[0] && settled[1], "functions are still tried in sections");
  is(starling_timer_remove(timer, requests[1]), 0, "removing a request");
  is(starling_timer_remove(timer, requests[1]), STARLING_ERROR_STATE, "removing it again");
  is(starling_request_free(&requests[0]), 0, "freeing a timed request");
  is(starling_timer_free(&timer), 0, "freeing a timer");
  is(starling_request_free(&requests[1]), 0, "freeing a request");
  starling_topology world = NULL;
  starling_request late = NULL;
  is(starling_topology_grid(0, NULL, NULL, NULL, MPI_COMM_WORLD, &world), 0, "a topology");
  is(starling_request_create(set, world, NULL, NULL, 0, strategy, &late), 0, "a request");
  is(starling_request_start(late), 0, "a start");
  is(starling_function_set_free(&set), 0, "freeing a set");
  if (rank == 0) printf("right, %d %d %d calls\n", calls[0], calls[1], calls[2]);
  MPI_Finalize();
  is(starling_request_create(set, NULL, NULL, NULL, 0, NULL, &early), STARLING_ERROR_INACTIVE, "after MPI_Finalize");
  is(starling_request_start(late), STARLING_ERROR_INACTIVE, "a start after MPI_Finalize");
  is(starling_request_free(&late), STARLING_ERROR_INACTIVE, "freeing a request after MPI_Finalize");
  is(starling_topology_free(&world), STARLING_ERROR_INACTIVE, "freeing a topology after MPI_Finalize");
  return 0;
}
