/* A parallel Adams-Bashforth method (van der Houwen and Messina 1999) for a system of ordinary differential equations,
 * as in Hartmann et al., section 4.2: MPI_Allgather of each stage in each step.
 *
 *   adams [COMPONENTS] [STEPS]       a number that the ranks divide
 *
 * The stage values of a step are approximations at t + a_i h, all computed from those of the step before:
 * Y_i = y + h sum_j S_ij f(Y'_j), where y is the last of these. S makes it exact for polynomials of degree K. The
 * system is the heat equation on a line, of which one mode decays at a known rate. Each rank computes its part of the
 * components of all stages, which all then gather. */
#include "program.h"

enum { stages = 4 };

static const double places[stages] = {0.25, 0.5, 0.75, 1}; /* a_i, in steps */
static const double pi = 3.141592653589793;

static int components, mine, first;
static double coefficient[stages][stages];
static double *values[stages], *slopes[stages], *own;

/* S, from sum_j S_ij (a_j - 1)^(q-1) = a_i^q / q for q = 1 ... K: Gauss and Jordan's elimination. */
static void find_coefficients(void) {
  double system[stages][2 * stages];
  for (int q = 0; q < stages; ++q)
    for (int j = 0; j < stages; ++j) {
      system[q][j] = pow(places[j] - 1, q);
      system[q][stages + j] = pow(places[j], q + 1) / (q + 1); /* the right side of row j of S */
    }
  for (int pivot = 0; pivot < stages; ++pivot) {
    int largest = pivot;
    for (int row = pivot; row < stages; ++row)
      if (fabs(system[row][pivot]) > fabs(system[largest][pivot])) largest = row;
    for (int column = 0; column < 2 * stages; ++column) {
      const double kept = system[pivot][column];
      system[pivot][column] = system[largest][column];
      system[largest][column] = kept;
    }
    for (int row = 0; row < stages; ++row) {
      if (row == pivot) continue;
      const double factor = system[row][pivot] / system[pivot][pivot];
      for (int column = 0; column < 2 * stages; ++column) system[row][column] -= factor * system[pivot][column];
    }
  }
  for (int i = 0; i < stages; ++i)
    for (int j = 0; j < stages; ++j) coefficient[i][j] = system[j][stages + i] / system[j][j];
}

/* Of the line's second differences, ends held at 0. */
static double slope(const double* y, int i) {
  const double left = i > 0 ? y[i - 1] : 0, right = i + 1 < components ? y[i + 1] : 0;
  return left - 2 * y[i] + right;
}

static double mode(int i) {
  return sin(pi * (i + 1) / (components + 1));
}

int main(int argc, char** argv) {
  components = start_job("adams", &argc, &argv, 3840, 50);
  if (components % job.ranks != 0) refuse("the ranks must divide the components");
  mine = components / job.ranks;
  first = job.rank * mine;
  find_coefficients();
  const double rate = 4 * pow(sin(pi / (2.0 * (components + 1))), 2);
  const double h = 0.05; /* stable, for eigenvalues down to -4 */
  own = allocate((size_t)mine, sizeof(double));
  for (int k = 0; k < stages; ++k) {
    values[k] = allocate((size_t)components, sizeof(double));
    slopes[k] = allocate((size_t)mine, sizeof(double));
    for (int i = 0; i < components; ++i) values[k][i] = mode(i) * exp(-rate * h * (places[k] - 1));
  }

  start_steps();
  for (int step = 0; step < job.steps; ++step) {
    for (int k = 0; k < stages; ++k)
      for (int i = 0; i < mine; ++i) slopes[k][i] = slope(values[k], first + i);
    for (int k = 0; k < stages; ++k) {
      for (int i = 0; i < mine; ++i) {
        double sum = 0;
        for (int j = 0; j < stages; ++j) sum += coefficient[k][j] * slopes[j][i];
        own[i] = values[stages - 1][first + i] + h * sum;
      }
      /* The last stage is what the others start from: it is replaced last. */
      MPI_Allgather(own, mine, MPI_DOUBLE, values[k], mine, MPI_DOUBLE, MPI_COMM_WORLD);
    }
    end_step();
  }

  double error = 0;
  for (int i = 0; i < components; ++i)
    error = fmax(error, fabs(values[stages - 1][i] - mode(i) * exp(-rate * h * job.steps)));
  const double check = demand("the error", error, 1e-10);
  for (int k = 0; k < stages; ++k) {
    free(values[k]);
    free(slopes[k]);
  }
  free(own);
  return end_job(check);
}
