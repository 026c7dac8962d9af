/* Written as programs for ADCL are: sets of the program's own functions, with attributes and without, of one function
 * for all combinations, blocking and not; what requests tell of them; status saved and restored; selections of a
 * configuration file, where ADCL_SETS is set. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ADCL.h"

enum { FUNCTIONS = 6, STARTS = 200 };

static int rank, ranks, faults, begun, ended, told;
static double seconds[FUNCTIONS];

static void is(int code, int wanted, const char* what) {
  if (code == wanted) return;
  if (faults++ < 5) fprintf(stderr, "rank %d: %s returned %d\n", rank, what, code);
}

static void expect(int good, const char* what) {
  if (good) return;
  if (faults++ < 5) fprintf(stderr, "rank %d: wrong: %s\n", rank, what);
}

/* What a function is called for, by its values: 10 or 11, and 20 to 22. */
static int number_of(ADCL_Request request) {
  int *values = NULL, num = 0;
  is(ADCL_Request_get_curr_function(request, NULL, NULL, &num, NULL, &values), 0, "the current function");
  const int number = num == 2 ? 3 * (values[0] - 10) + values[1] - 20 : -1;
  free(values);
  return number;
}

static void work(ADCL_Request request) {
  const int number = number_of(request);
  MPI_Comm comm;
  int here, all, sum = 0;
  is(ADCL_Request_get_comm(request, &comm, &here, &all), 0, "the communicator");
  MPI_Allreduce(&here, &sum, 1, MPI_INT, MPI_SUM, comm);
  expect(sum == all * (all - 1) / 2, "a sum");
  ++told;
  is(ADCL_Request_update(request, seconds[number] * (told % 10 == 0 ? 5 : 1)), 0, "update"); /* a tenth are outliers */
}

static void begin(ADCL_Request request) {
  ++begun;
  work(request);
}
static void finish(ADCL_Request request) {
  (void)request;
  ++ended;
}

static ADCL_Attrset make_attributes(ADCL_Attribute* attributes) {
  int first[] = {10, 11}, second[] = {20, 21, 22};
  char *first_names[] = {"ten", "eleven"}, *second_names[] = {"twenty", "twenty-one", "twenty-two"};
  ADCL_Attrset attrset;
  is(ADCL_Attribute_create(2, first, first_names, "first", &attributes[0]), 0, "attribute");
  is(ADCL_Attribute_create(3, second, second_names, "second", &attributes[1]), 0, "attribute");
  is(ADCL_Attrset_create(2, attributes, &attrset), 0, "attribute set");
  return attrset;
}

static void check_winner(ADCL_Request request, int wanted) {
  double filtered = 0, mean = 0, outliers = -1;
  int state = 1, num = 0, attributes = 0, **values = NULL;
  char **names = NULL, **attribute_names = NULL, ***value_names = NULL;
  is(ADCL_Request_get_state(request, &state), 0, "state");
  expect(state == 0, "functions are still tried");
  is(ADCL_Request_get_winner_stat(request, &filtered, &mean, &outliers), 0, "the winner's figures");
  expect(fabs(filtered - seconds[wanted]) < 1e-6 && mean >= filtered && outliers >= 0, "the winner's mean");
  is(ADCL_Request_get_functions_with_average(request, filtered, &num, &names, &attribute_names, &attributes,
                                             &value_names, &values),
     0, "functions with a mean");
  expect(num == 1 && attributes == 2, "the number of functions with a mean");
  for (int i = 0; i < num; ++i) {
    expect(3 * (values[i][0] - 10) + values[i][1] - 20 == wanted, "the winner's values");
    expect(strcmp(value_names[i][0], wanted < 3 ? "ten" : "eleven") == 0, "the names of values");
    for (int j = 0; j < attributes; ++j) free(value_names[i][j]);
    free(value_names[i]);
    free(values[i]);
    free(names[i]);
  }
  for (int j = 0; j < attributes; ++j) free(attribute_names[j]);
  free(attribute_names);
  free(value_names);
  free(values);
  free(names);
}

static void check_sets(void) {
  ADCL_Attribute attributes[2];
  ADCL_Attrset attrset = make_attributes(attributes);
  ADCL_Function functions[FUNCTIONS], async;
  ADCL_Fnctset set, single, alone;
  ADCL_Topology topo;
  ADCL_Request request, other;
  char name[8] = "f0";
  int twice[] = {10, 20}, wrong[] = {12, 20}, without[] = {11, 22}, *combinations[] = {without};
  for (int i = 0; i < FUNCTIONS; ++i) {
    int values[] = {10 + i / 3, 20 + i % 3};
    seconds[i] = 1e-3 * (1 + (i + 2) % FUNCTIONS); /* function 4 is the fastest */
    name[1] = (char)('0' + i);
    is(ADCL_Function_create(work, attrset, values, name, &functions[i]), 0, "function");
  }
  is(ADCL_Function_create(work, attrset, wrong, name, &async), ADCL_INVALID_ATTRIBUTE, "a wrong value");
  is(ADCL_Function_create(ADCL_NULL_FNCT_PTR, attrset, twice, name, &async), ADCL_INVALID_WORK_FUNCTION_PTR, "no work");
  is(ADCL_Fnctset_create(FUNCTIONS, functions, "test functions", &set), 0, "function set");
  is(ADCL_Topology_create_generic(0, 0, NULL, NULL, NULL, NULL, ADCL_DIRECTION_BOTH, MPI_COMM_WORLD, &topo), 0,
     "topology");
  is(ADCL_Topology_create_generic(0, 0, NULL, NULL, NULL, NULL, 7, MPI_COMM_WORLD, &topo), ADCL_INVALID_DIRECTION,
     "direction");
  is(ADCL_Request_create(ADCL_VECTOR_NULL, topo, set, &request), 0, "request");
  is(ADCL_Request_create(ADCL_VECTOR_NULL, topo, set, &other), 0, "request");
  for (int i = 0; i < STARTS; ++i) is(ADCL_Request_start(request), 0, "start");
  check_winner(request, 4);
  int state = 0;
  is(ADCL_Request_get_state(other, &state), 0, "state");
  expect(state == 1, "a request has another's state");

  /* What was tried so far goes to a new request, which need not try it again. */
  int tested = 0, best = -1;
  double *means = NULL, *filtered = NULL, *outliers = NULL;
  is(ADCL_Request_save_status(request, &tested, &means, &filtered, &outliers, &best), 0, "save");
  expect(tested == FUNCTIONS && best == 4 && fabs(filtered[0] - seconds[0]) < 1e-6, "the saved status");
  is(ADCL_Request_restore_status(other, tested, means, filtered, outliers), 0, "restore");
  free(means);
  free(filtered);
  free(outliers);
  for (int i = 0; i < STARTS; ++i) is(ADCL_Request_start(other), 0, "start");
  check_winner(other, 4);
  is(ADCL_Request_free(&other), 0, "free");
  is(ADCL_Request_free(&request), 0, "free");

  /* One function for all combinations but one, in two parts. */
  is(ADCL_Fnctset_create_single(begin, finish, attrset, "single", combinations, 1, &single), 0, "single");
  is(ADCL_Request_create(ADCL_VECTOR_NULL, topo, single, &request), 0, "request");
  for (int i = 0; i < STARTS; ++i) {
    is(ADCL_Request_init(request), 0, "init");
    expect(number_of(request) != 5, "a combination that was left out");
    expect(begun == i + 1 && ended == i, "the order of the parts");
    is(ADCL_Request_wait(request), 0, "wait");
  }
  check_winner(request, 4);
  is(ADCL_Request_free(&request), 0, "free");

  /* Without attributes, one function. */
  is(ADCL_Function_create_async(begin, finish, ADCL_ATTRSET_NULL, NULL, "async", &async), 0, "async");
  is(ADCL_Fnctset_create(1, &async, NULL, &alone), 0, "a set of one");
  is(ADCL_Fnctset_create(0, &async, NULL, &alone), ADCL_INVALID_ARG, "a set of none");
  is(ADCL_Fnctset_free(&alone), 0, "free");
  is(ADCL_Function_free(&async), 0, "free");
  is(ADCL_Fnctset_free(&single), 0, "free");
  is(ADCL_Fnctset_free(&set), 0, "free");
  expect(set == ADCL_FNCTSET_NULL, "a freed set");
  is(ADCL_Fnctset_free(&set), ADCL_INVALID_FNCTSET, "freeing it again");
  for (int i = 0; i < FUNCTIONS; ++i) is(ADCL_Function_free(&functions[i]), 0, "free");
  is(ADCL_Attrset_free(&attrset), 0, "free");
  for (int i = 0; i < 2; ++i) is(ADCL_Attribute_free(&attributes[i]), 0, "free");
  is(ADCL_Topology_free(&topo), 0, "free");
}

static void quick(ADCL_Request request) {
  is(ADCL_Request_update(request, 1e-3), 0, "update");
}
static void slow(ADCL_Request request) {
  is(ADCL_Request_update(request, 2e-3), 0, "update");
}

/* The file says that requests of one shape are tuned as one. */
static void check_merged(void) {
  ADCL_Function functions[2];
  ADCL_Fnctset set;
  ADCL_Topology topo;
  ADCL_Request one, other;
  int state = 1;
  is(ADCL_Function_create(slow, ADCL_ATTRSET_NULL, NULL, "slow", &functions[0]), 0, "function");
  is(ADCL_Function_create(quick, ADCL_ATTRSET_NULL, NULL, "quick", &functions[1]), 0, "function");
  is(ADCL_Fnctset_create(2, functions, "merged", &set), 0, "function set");
  is(ADCL_Topology_create_generic(0, NULL, NULL, NULL, ADCL_DIRECTION_BOTH, MPI_COMM_WORLD, &topo), 0, "topology");
  is(ADCL_Request_create(ADCL_VECTOR_NULL, topo, set, &one), 0, "request");
  is(ADCL_Request_create(ADCL_VECTOR_NULL, topo, set, &other), 0, "request");
  for (int i = 0; i < 50; ++i) is(ADCL_Request_start(one), 0, "start");
  is(ADCL_Request_get_state(other, &state), 0, "state");
  expect(state == 0, "the other request is not tuned with the first");
  is(ADCL_Request_free(&one), 0, "free");
  is(ADCL_Request_start(other), 0, "start");
  is(ADCL_Request_free(&other), 0, "free");
  is(ADCL_Fnctset_free(&set), 0, "free");
  is(ADCL_Topology_free(&topo), 0, "free");
}

static void check_selections(void) {
  int line = 0, periods = 1, dims = 6, in = rank, sum = 0;
  double data[6] = {0, 0, 0, 0, 0, 0};
  MPI_Comm cart;
  ADCL_Topology topo;
  ADCL_Vector vec;
  ADCL_Request request;
  MPI_Dims_create(ranks, 1, &line);
  MPI_Cart_create(MPI_COMM_WORLD, 1, &line, &periods, 0, &cart);
  is(ADCL_Topology_create(cart, &topo), 0, "topology");
  is(ADCL_Vector_register(1, &dims, 1, MPI_DOUBLE, data, &vec), 0, "vector");
  is(ADCL_Request_create(vec, topo, ADCL_FNCTSET_NEIGHBORHOOD, &request), 0, "request");
  for (int i = 0; i < 30; ++i) is(ADCL_Request_start(request), 0, "start");
  is(ADCL_Request_free(&request), 0, "free");
  is(ADCL_Vector_deregister(&vec), 0, "free");
  is(ADCL_Topology_free(&topo), 0, "free");
  is(ADCL_Allreduce_init(&in, &sum, 1, MPI_INT, MPI_SUM, cart, &request), 0, "allreduce");
  for (int i = 0; i < 30; ++i) is(ADCL_Request_start(request), 0, "start");
  expect(sum == ranks * (ranks - 1) / 2, "the sum");
  is(ADCL_Request_free(&request), 0, "free");
  MPI_Comm_free(&cart);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  is(ADCL_Init(), 0, "init");
  if (getenv("ADCL_SETS") != NULL) {
    check_selections();
    check_merged();
  } else
    check_sets();
  int all = 0;
  MPI_Allreduce(&faults, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (rank == 0) printf("%d faults\n", all);
  is(ADCL_Finalize(), 0, "finalize");
  MPI_Finalize();
  return all != 0;
}
