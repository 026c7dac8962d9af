/* Nanoseconds that a start of a request costs above calling the function itself, in steady state:
 * pattern_start STARTS BLOCKS [STRATEGY]. Rank 0 prints one figure a block. */
#include <mpi.h>
#include <starling/patterns.h>
#include <stdio.h>
#include <stdlib.h>

static volatile int worked;

static int work(starling_request request, void* context) {
  (void)request;
  (void)context;
  ++worked;
  return 0;
}

int main(int argc, char** argv) {
  starling_function functions[2];
  starling_function_set set;
  starling_request request;
  int rank, exploring = 1;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (argc < 3) MPI_Abort(MPI_COMM_WORLD, 2);
  const int starts = atoi(argv[1]), blocks = atoi(argv[2]);
  starling_function_create("one", work, NULL, NULL, NULL, &functions[0]);
  starling_function_create("other", work, NULL, NULL, NULL, &functions[1]);
  starling_function_set_create("nothing", 2, functions, &set);
  if (starling_request_create(set, NULL, NULL, NULL, 0, argc > 3 ? argv[3] : NULL, &request) != STARLING_SUCCESS) {
    fprintf(stderr, "%s\n", starling_error_detail());
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  for (int i = 0; i < 10000; ++i) starling_request_start(request);
  starling_request_exploring(request, &exploring);
  if (exploring && rank == 0) fprintf(stderr, "functions are still tried\n");
  for (int block = 0; block < blocks; ++block) {
    double begin = PMPI_Wtime();
    for (int i = 0; i < starts; ++i) starling_request_start(request);
    const double started = PMPI_Wtime() - begin;
    begin = PMPI_Wtime();
    for (int i = 0; i < starts; ++i) work(request, NULL);
    const double called = PMPI_Wtime() - begin;
    if (rank == 0) printf("%.1f\n", (started - called) / starts * 1e9);
  }
  starling_request_free(&request);
  MPI_Finalize();
  return 0;
}
