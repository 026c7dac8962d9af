/* A pattern of the application's own: every rank gives a number to its right neighbour, by three functions that differ
 * in two attributes. Starling tries them while the program runs, and goes on with the fastest.
 *
 *   mpicc ring.c $(starling config --flags) -o ring && mpirun -n 4 ./ring && starling report */
#include <mpi.h>
#include <starling/patterns.h>
#include <stdio.h>

static int to_give, given;

/* Each function finds the communicator of the request that it is called for. */
static MPI_Comm neighbours(starling_request request, int* left, int* right) {
  MPI_Comm comm;
  int rank, ranks;
  starling_request_communicator(request, &comm, &rank, &ranks);
  *left = (rank + ranks - 1) % ranks;
  *right = (rank + 1) % ranks;
  return comm;
}

/* Everyone tells everyone: what the program did before. The report compares with the function named native. */
static int by_all(starling_request request, void* context) {
  int all[64], left, right;
  const MPI_Comm comm = neighbours(request, &left, &right);
  (void)context;
  if (MPI_Allgather(&to_give, 1, MPI_INT, all, 1, MPI_INT, comm) != MPI_SUCCESS) return 1;
  given = all[left];
  return 0;
}

static int at_once(starling_request request, void* context) {
  int left, right;
  const MPI_Comm comm = neighbours(request, &left, &right);
  (void)context;
  return MPI_Sendrecv(&to_give, 1, MPI_INT, right, 0, &given, 1, MPI_INT, left, 0, comm, MPI_STATUS_IGNORE);
}

static int posted(starling_request request, void* context) {
  MPI_Request requests[2];
  MPI_Status statuses[2];
  int left, right;
  const MPI_Comm comm = neighbours(request, &left, &right);
  (void)context;
  MPI_Irecv(&given, 1, MPI_INT, left, 0, comm, &requests[0]);
  MPI_Isend(&to_give, 1, MPI_INT, right, 0, comm, &requests[1]);
  return MPI_Waitall(2, requests, statuses);
}

int main(int argc, char** argv) {
  const int partners[] = {1, 2}, waits[] = {0, 1};
  const char* const partner_names[] = {"neighbours", "everyone"};
  const int values[3][2] = {{2, 0}, {1, 0}, {1, 1}};
  starling_attribute attributes[2];
  starling_attribute_set set;
  starling_function functions[3];
  starling_function_set pattern;
  starling_request request;
  int rank, ranks, wrong = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);

  starling_attribute_create("partners", 2, partners, partner_names, &attributes[0]);
  starling_attribute_create("waits", 2, waits, NULL, &attributes[1]);
  starling_attribute_set_create(2, attributes, &set);
  starling_function_create("native", by_all, NULL, set, values[0], &functions[0]);
  starling_function_create("at_once", at_once, NULL, set, values[1], &functions[1]);
  starling_function_create("posted", posted, NULL, set, values[2], &functions[2]);
  starling_function_set_create("ring", 3, functions, &pattern);
  if (starling_request_create(pattern, NULL, NULL, NULL, 0, "star-basic", &request) != STARLING_SUCCESS) {
    fprintf(stderr, "%s\n", starling_error_detail());
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  for (int i = 0; i < 500; ++i) {
    to_give = rank + i;
    if (starling_request_start(request) != STARLING_SUCCESS) ++wrong;
    if (given != (rank + ranks - 1) % ranks + i) ++wrong;
  }
  const char* winner = "none";
  if (starling_request_winner(request, &winner) != STARLING_SUCCESS) ++wrong;
  if (rank == 0) printf("the fastest is %s, %d wrong\n", winner, wrong);
  starling_request_free(&request);
  MPI_Finalize();
  return wrong != 0;
}
