/* A parallel Adams-Bashforth method (van der Houwen and Messina 1999) for a system of ordinary differential equations,
 * as in Hartmann et al., section 4.2: MPI_Allgather of each stage in each step.
 *
 *   adams [COMPONENTS] [STEPS]       a number that the ranks divide; from 25 steps on the method is stable
 *
 * The stage values of a step are approximations at t + a_i h, all computed from those of the step before:
 * Y_i = y + h sum_j S_ij f(Y'_j), where y is the last of these. S makes it exact for polynomials of degree K. The
 * system is the heat equation on a line, of which one mode decays at a known rate. Its error at the end must be as
 * small as a method of order K makes it. Each rank computes its part of the components of all stages, which all then
 * gather. */
#include "program.h"

enum { stages = 4 };

static const double places[stages] = {0.25, 0.5, 0.75, 1}; /* a_i, in steps */
static const double pi = 3.141592653589793;
static const double duration = 2.5;
enum { fewest_steps = 25 }; /* stable for h times an eigenvalue down to -0.48; eigenvalues go down to -4 */
/* The error divided by h^K, for a mode that decays as exp(-t): below 0.0072 for every h, by the method's recursion. */
static const double error_constant = 0.008;

static int components, mine, first, waves;
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
  return sin(pi * waves * (i + 1) / (components + 1));
}

int main(int argc, char** argv) {
  components = start_job("adams", &argc, &argv, 3840, 50);
  if (components < 2) refuse("there must be at least 2 components");
  if (components % job.ranks != 0) refuse("the ranks must divide the components");
  if (job.steps < fewest_steps) refuse("with fewer than 25 steps the method is not stable");
  mine = components / job.ranks;
  first = job.rank * mine;
  find_coefficients();
  waves = (components + 1) / 3; /* the rate is then 1, or a little less */
  const double rate = 4 * pow(sin(pi * waves / (2.0 * (components + 1))), 2);
  const double h = duration / job.steps;
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
    error = fmax(error, fabs(values[stages - 1][i] - mode(i) * exp(-rate * duration)));
  const double rounding = 1e-12;
  const double check = demand("the error", error, (error_constant * pow(h, stages)) + rounding);
  for (int k = 0; k < stages; ++k) {
    free(values[k]);
    free(slopes[k]);
  }
  free(own);
  return end_job(check);
}
