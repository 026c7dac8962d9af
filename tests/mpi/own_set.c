/* A set of the program's own with three functions that tell their own times: for settings that name it.
 * Usage: own_set [strategy of the request]; prints the number that creating the request returned, and the detail. */
#include <mpi.h>
#include <starling/patterns.h>
#include <stdio.h>

static int tells(starling_request request, double seconds) {
  return starling_request_update(request, seconds);
}
static int slow(starling_request request, void* context) {
  (void)context;
  return tells(request, 3e-3);
}
static int fast(starling_request request, void* context) {
  (void)context;
  return tells(request, 1e-3);
}
static int medium(starling_request request, void* context) {
  (void)context;
  return tells(request, 2e-3);
}

int main(int argc, char** argv) {
  int rank = 0, code = 0;
  starling_function functions[3];
  starling_function_set set = NULL;
  starling_request request = NULL;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  starling_function_create("slow", slow, NULL, NULL, NULL, &functions[0]);
  starling_function_create("fast", fast, NULL, NULL, NULL, &functions[1]);
  starling_function_create("medium", medium, NULL, NULL, NULL, &functions[2]);
  starling_function_set_create("ring of mine", 3, functions, &set);
  code = starling_request_create(set, NULL, NULL, NULL, 0, argc > 1 ? argv[1] : NULL, &request);
  if (rank == 0) printf("%d %s\n", code, code == 0 ? "" : starling_error_detail());
  for (int i = 0; i < 100 && code == 0; ++i) starling_request_start(request);
  if (code == 0) starling_request_free(&request);
  MPI_Finalize();
  return 0;
}
