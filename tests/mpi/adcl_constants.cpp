// Written as a program in C++ for ADCL is: arrays and texts that are constants.
#include <cstdio>

#include "ADCL.h"

namespace {

int faults;

void is(int code, const char* what) {
  if (code == ADCL_SUCCESS) return;
  std::fprintf(stderr, "%s returned %d\n", what, code);
  ++faults;
}

int called;

void work(ADCL_Request /*request*/) {
  ++called;
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int ranks = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  is(ADCL_Init(), "init");
  const int extents[] = {ranks, 1};
  const int open[] = {0, 0};
  const int cells[] = {4, 5};
  double block[4][5] = {};
  MPI_Comm cart = MPI_COMM_NULL;
  MPI_Cart_create(MPI_COMM_WORLD, 2, extents, open, 0, &cart);
  ADCL_Topology topology = ADCL_TOPOLOGY_NULL;
  ADCL_Vector vector = ADCL_VECTOR_NULL;
  ADCL_Request halos = ADCL_REQUEST_NULL;
  is(ADCL_Topology_create(cart, &topology), "topology");
  is(ADCL_Vector_register(2, cells, 1, MPI_DOUBLE, block, &vector), "vector");
  is(ADCL_Request_create(vector, topology, ADCL_FNCTSET_NEIGHBORHOOD, &halos), "request");
  for (int i = 0; i < 3; ++i) is(ADCL_Request_start(halos), "start");

  const int values[] = {1, 2};
  ADCL_Attribute attribute = ADCL_ATTRIBUTE_NULL;
  ADCL_Attrset attributes = ADCL_ATTRSET_NULL;
  ADCL_Function functions[] = {ADCL_FUNCTION_NULL, ADCL_FUNCTION_NULL};
  ADCL_Fnctset set = ADCL_FNCTSET_NULL;
  ADCL_Request mine = ADCL_REQUEST_NULL;
  is(ADCL_Attribute_create(2, values, nullptr, "way", &attribute), "attribute");
  is(ADCL_Attrset_create(1, &attribute, &attributes), "attribute set");
  is(ADCL_Function_create(work, attributes, &values[0], "first", &functions[0]), "function");
  is(ADCL_Function_create_async(work, nullptr, attributes, &values[1], "second", &functions[1]), "function in parts");
  is(ADCL_Fnctset_create(2, functions, "mine", &set), "function set");
  is(ADCL_Request_create(ADCL_VECTOR_NULL, topology, set, &mine), "request of the program's own");
  for (int i = 0; i < 3; ++i) is(ADCL_Request_start(mine), "start of the program's own");
  if (called != 3) ++faults;

  const double one = 1;
  double sum = 0;
  ADCL_Request reduction = ADCL_REQUEST_NULL;
  is(ADCL_Allreduce_init(&one, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, &reduction), "allreduce");
  const ADCL_Request all[] = {halos, mine, reduction};
  ADCL_Timer timer = ADCL_TIMER_NULL;
  is(ADCL_Timer_create(3, all, &timer), "timer");
  is(ADCL_Request_start(reduction), "start of the allreduce");
  if (sum != ranks) ++faults;

  is(ADCL_Timer_free(&timer), "free");
  for (ADCL_Request request : all) is(ADCL_Request_free(&request), "free");
  is(ADCL_Fnctset_free(&set), "free");
  is(ADCL_Vector_deregister(&vector), "free");
  is(ADCL_Topology_free(&topology), "free");
  MPI_Comm_free(&cart);
  int of_all = 0;
  MPI_Allreduce(&faults, &of_all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 0) std::printf("%d faults\n", of_all);
  is(ADCL_Finalize(), "finalize");
  MPI_Finalize();
  return of_all != 0;
}
