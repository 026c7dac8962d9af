/* The free Schroedinger equation on a periodic square by fast Fourier transforms: communication as FFTW's has it in
 * table 2 of STAR-MPI, MPI_Alltoall.
 *
 *   fft [POINTS A SIDE] [STEPS]       a power of two that the ranks divide
 *
 * Rows are dealt to the ranks. A step transforms along rows, transposes, transforms along columns, turns each wave by
 * exp(-i k^2 dt / 2), and goes the same way back: two MPI_Alltoall of 16 (side / ranks)^2 bytes a block. It starts
 * from a few plane waves, whose exact solution at the end is known; and the sum of squares is the same in space and in
 * wave numbers at each step (Parseval). */
#include <string.h>

#include "program.h"

typedef struct {
  double re, im;
} Complex;

enum { waves = 4 };

static const double tau = 6.283185307179586;
static const double time_step = 1e-3;

static int side, rows, first_row;
static Complex *field, *blocks, *gathered, *line;
static Complex* turn; /* exp(-tau i k / side), k < side / 2 */

static Complex times(Complex a, Complex b) {
  return (Complex){a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}

static Complex unit(double angle) {
  return (Complex){cos(angle), sin(angle)};
}

/* One row in place, not normalised: Stockham's form of radix 2, which sorts itself while it goes to and fro. */
static void transform(Complex* row, double sign) {
  Complex *from = row, *to = line;
  for (int half = side / 2, stride = 1; half >= 1; half /= 2, stride *= 2) {
    for (int p = 0; p < half; ++p) {
      const Complex w = {turn[p * stride].re, sign * turn[p * stride].im};
      const Complex *low = from + stride * p, *high = from + stride * (p + half);
      Complex *even = to + stride * 2 * p, *odd = even + stride;
      for (int q = 0; q < stride; ++q) {
        const Complex a = low[q], b = high[q];
        even[q] = (Complex){a.re + b.re, a.im + b.im};
        odd[q] = times((Complex){a.re - b.re, a.im - b.im}, w);
      }
    }
    Complex* swap = from;
    from = to;
    to = swap;
  }
  if (from != row) memcpy(row, from, (size_t)side * sizeof *row);
}

static void transform_rows(double sign) {
  for (int y = 0; y < rows; ++y) transform(field + (size_t)y * (size_t)side, sign);
}

/* What is mine of rows becomes what is mine of columns: square blocks, each transposed on its way out. */
static void transpose(void) {
  Complex* to = blocks;
  for (int x = 0; x < side; ++x)
    for (int y = 0; y < rows; ++y) *to++ = field[(size_t)y * (size_t)side + (size_t)x];
  const int doubles = 2 * rows * rows;
  MPI_Alltoall(blocks, doubles, MPI_DOUBLE, gathered, doubles, MPI_DOUBLE, MPI_COMM_WORLD);
  const Complex* from = gathered;
  for (int rank = 0; rank < job.ranks; ++rank)
    for (int y = 0; y < rows; ++y, from += rows)
      memcpy(field + (size_t)y * (size_t)side + (size_t)rank * (size_t)rows, from, (size_t)rows * sizeof *from);
}

static double squares(void) {
  double sum = 0;
  for (size_t i = 0; i < (size_t)rows * (size_t)side; ++i) sum += field[i].re * field[i].re + field[i].im * field[i].im;
  return sum;
}

/* The wave number of index `i`, half of them negative. */
static double number(int i) {
  return tau * (i < side / 2 ? i : i - side);
}

/* All waves turn as time goes by; 1 / side^2 makes up for two transforms each way. */
static void propagate(void) {
  for (int x = 0; x < rows; ++x)
    for (int y = 0; y < side; ++y) {
      Complex* wave = field + (size_t)x * (size_t)side + (size_t)y;
      const double kx = number(first_row + x), ky = number(y), scale = 1.0 / side / side;
      const Complex factor = unit(-(kx * kx + ky * ky) * time_step / 2);
      *wave = times(*wave, (Complex){scale * factor.re, scale * factor.im});
    }
}

/* The sum of plane waves at a point of a row of mine. */
static Complex exact(int x, int y, double time) {
  Complex sum = {0, 0};
  for (int wave = 0; wave < waves; ++wave) {
    const int nx = (int)(random_at((unsigned)wave) * side), ny = (int)(random_at((unsigned)(wave + waves)) * side);
    const double kx = number(nx), ky = number(ny);
    const long turns = (long)nx * x + (long)ny * (first_row + y);
    const Complex one = unit(tau * (double)(turns % side) / side - (kx * kx + ky * ky) * time / 2);
    sum = (Complex){sum.re + one.re / waves, sum.im + one.im / waves};
  }
  return sum;
}

int main(int argc, char** argv) {
  side = start_job("fft", &argc, &argv, 512, 250);
  rows = side / job.ranks;
  first_row = rows * job.rank;
  if (side < 2 || (side & (side - 1)) || side % job.ranks)
    fail("the side must be a power of two that the number of ranks divides");
  const size_t points = (size_t)rows * (size_t)side;
  field = allocate(points, sizeof *field);
  blocks = allocate(points, sizeof *blocks);
  gathered = allocate(points, sizeof *gathered);
  line = allocate((size_t)side, sizeof *line);
  turn = allocate((size_t)side / 2, sizeof *turn);
  for (int k = 0; k < side / 2; ++k) turn[k] = unit(-tau * k / side);
  for (int y = 0; y < rows; ++y)
    for (int x = 0; x < side; ++x) field[(size_t)y * (size_t)side + (size_t)x] = exact(x, y, 0);

  double sums[2] = {squares(), 0}, totals[2]; /* in space at the start, and of wave numbers in the last step */
  start_steps();
  for (int step = 0; step < job.steps; ++step) {
    transform_rows(1);
    transpose();
    transform_rows(1);
    if (step + 1 == job.steps) sums[1] = squares() / side / side;
    propagate();
    transform_rows(-1);
    transpose();
    transform_rows(-1);
    end_step();
  }

  double worst = 0;
  for (int y = 0; y < rows; ++y)
    for (int x = 0; x < side; ++x) {
      const Complex wanted = exact(x, y, job.steps * time_step), found = field[(size_t)y * (size_t)side + (size_t)x];
      worst = fmax(worst, hypot(found.re - wanted.re, found.im - wanted.im));
    }
  MPI_Reduce(sums, totals, 2, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
  demand("the change of the sum of squares", job.rank ? 0 : fabs(totals[1] / totals[0] - 1), 1e-10);
  return end_job(demand("the distance from the exact solution", worst, 1e-7));
}
