/* Jacobi's iteration for a dense system of equations, in the three variants of Hartmann et al., section 4.2:
 *
 *   jacobi [UNKNOWNS] [STEPS] [rows | columns | root]       a number of unknowns that the ranks divide
 *
 *   rows      each rank has rows of the matrix, and all gather the new unknowns: MPI_Allgather
 *   columns   each rank has columns; all sum up the products and gather: MPI_Allreduce, MPI_Allgather
 *   root      the same, but rank 0 alone has the sums and sends the unknowns: MPI_Reduce, MPI_Bcast
 *
 * A row's elements beside the diagonal sum up to at most half of it, so each step at least halves the error. */
#include <string.h>

#include "program.h"

static int unknowns, mine, first;
static double *matrix, *right, *solution, *x, *sums, *own;

/* Beside the diagonal, which is 1. */
static double element(int row, int column) {
  if (row == column) return 0;
  return 0.5 / unknowns *
         random_at((unsigned long long)row * (unsigned long long)unknowns + (unsigned long long)column);
}

/* `matrix` has the elements of this rank one row after the other, whether these are its rows or parts of all rows. */
static void fill_in(int by_rows) {
  const int rows = by_rows ? mine : unknowns, columns = by_rows ? unknowns : mine;
  matrix = allocate((size_t)rows * (size_t)columns, sizeof(double));
  for (int i = 0; i < rows; ++i)
    for (int j = 0; j < columns; ++j)
      matrix[(size_t)i * (size_t)columns + (size_t)j] = by_rows ? element(first + i, j) : element(i, first + j);
  for (int i = 0; i < unknowns; ++i) solution[i] = random_at(~(unsigned long long)i);
  for (int i = 0; i < unknowns; ++i) {
    double sum = solution[i];
    for (int j = 0; j < unknowns; ++j) sum += element(i, j) * solution[j];
    right[i] = sum;
  }
}

static void multiply(int rows, int columns, const double* vector, double* into) {
  for (int i = 0; i < rows; ++i) {
    double sum = 0;
    for (int j = 0; j < columns; ++j) sum += matrix[(size_t)i * (size_t)columns + (size_t)j] * vector[j];
    into[i] = sum;
  }
}

static void gather_own(void) {
  MPI_Allgather(own, mine, MPI_DOUBLE, x, mine, MPI_DOUBLE, MPI_COMM_WORLD);
}

static void step_by_rows(void) {
  multiply(mine, unknowns, x, own);
  for (int i = 0; i < mine; ++i) own[i] = right[first + i] - own[i];
  gather_own();
}

static void step_by_columns(void) {
  multiply(unknowns, mine, x + first, sums);
  MPI_Allreduce(MPI_IN_PLACE, sums, unknowns, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  for (int i = 0; i < mine; ++i) own[i] = right[first + i] - sums[first + i];
  gather_own();
}

static void step_at_root(void) {
  multiply(unknowns, mine, x + first, sums);
  MPI_Reduce(job.rank == 0 ? MPI_IN_PLACE : sums, sums, unknowns, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
  if (job.rank == 0)
    for (int i = 0; i < unknowns; ++i) x[i] = right[i] - sums[i];
  MPI_Bcast(x, unknowns, MPI_DOUBLE, 0, MPI_COMM_WORLD);
}

int main(int argc, char** argv) {
  unknowns = start_job("jacobi", &argc, &argv, 1920, 50);
  const char* variant = argc > 3 ? argv[3] : "rows";
  const int by_rows = strcmp(variant, "rows") == 0, at_root = strcmp(variant, "root") == 0;
  if (!by_rows && !at_root && strcmp(variant, "columns") != 0) refuse("the variant is rows, columns or root");
  if (unknowns % job.ranks != 0) refuse("the ranks must divide the unknowns");
  mine = unknowns / job.ranks;
  first = job.rank * mine;
  const size_t all = (size_t)unknowns;
  right = allocate(all, sizeof(double));
  solution = allocate(all, sizeof(double));
  x = allocate(all, sizeof(double));
  sums = allocate(all, sizeof(double));
  own = allocate((size_t)mine, sizeof(double));
  fill_in(by_rows);

  start_steps();
  for (int i = 0; i < job.steps; ++i) {
    if (by_rows)
      step_by_rows();
    else if (at_root)
      step_at_root();
    else
      step_by_columns();
    end_step();
  }

  double error = 0;
  for (int i = 0; i < unknowns; ++i) error = fmax(error, fabs(x[i] - solution[i]));
  const double check = demand("the error", error, pow(0.5, job.steps) + 1e-12);
  free(matrix);
  free(right);
  free(solution);
  free(x);
  free(sums);
  free(own);
  return end_job(check);
}
