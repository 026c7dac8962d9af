/* A heated square plate, periodic in both directions, by a Fourier method:
 *
 *   du/dt = kappa (d2u/dx2 + d2u/dy2) + q(x, y, t)
 *
 * A small heater travels over the plate. Rank 0 regulates its power from the mean temperature; the plate loses heat at
 * a constant rate. Each step adds the heater's warmth in space, goes to Fourier space, lets every wave decay by its
 * exact factor exp(-kappa k^2 dt), and comes back. Rows of the grid are dealt to the ranks; between the transforms
 * along x and along y the grid is transposed with MPI_Alltoall.
 *
 *   mpirun -n 4 ./heat_spectrum [grid points a side, a power of two] [steps]
 *
 * The number of ranks must divide the grid. The output does not depend on time, nor, to the digits shown, on the
 * order in which MPI adds. Nothing here uses Starling.
 */
#include <complex.h>
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

typedef double complex Wave;

static const double kappa = 2e-4;      /* diffusivity: plate widths squared a second */
static const double time_step = 0.01;  /* seconds */
static const double loss = 0.05;       /* share of the temperature lost in a second */
static const double wanted_mean = 1.0; /* temperature that rank 0 regulates to */

typedef struct {
  int n;         /* grid points a side */
  int rows;      /* of this rank */
  int first_row; /* of this rank */
  int ranks;
  int rank;
  Wave* grid;     /* rows x n */
  Wave* outgoing; /* the same amount, block by block, for the transpose */
  Wave* turn;     /* exp(-2 pi i k / n), k < n / 2 */
} Plate;

/* Broadcast by rank 0 at the start of a step. */
typedef struct {
  double power; /* degrees a second, at the heater's centre */
  double x, y;  /* the heater's place, in plate widths */
} Heater;

static void* allocate(size_t count, size_t size) {
  void* memory = calloc(count, size);
  if (!memory) {
    fprintf(stderr, "heat_spectrum: out of memory\n");
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  return memory;
}

/* The product without the checks for infinities that C asks of `*`. */
static inline Wave times(Wave a, Wave b) {
  return CMPLX(creal(a) * creal(b) - cimag(a) * cimag(b), creal(a) * cimag(b) + cimag(a) * creal(b));
}

/* Fast Fourier transform of one row in place, radix 2 (Cooley and Tukey); `sign` -1 forth, +1 back, not normalised. */
static void transform(Wave* row, int n, const Wave* turn, int sign) {
  for (int i = 1, j = 0; i < n; ++i) {
    int bit = n >> 1;
    for (; j & bit; bit >>= 1) j ^= bit;
    j ^= bit;
    if (i < j) {
      Wave kept = row[i];
      row[i] = row[j];
      row[j] = kept;
    }
  }
  for (int half = 1; half < n; half *= 2) {
    int stride = n / (2 * half);
    for (int start = 0; start < n; start += 2 * half)
      for (int k = 0; k < half; ++k) {
        Wave factor = sign < 0 ? turn[k * stride] : conj(turn[k * stride]);
        Wave odd = times(factor, row[start + k + half]);
        row[start + k + half] = row[start + k] - odd;
        row[start + k] += odd;
      }
  }
}

static void transform_rows(Plate* plate, int sign) {
  for (int i = 0; i < plate->rows; ++i)
    transform(plate->grid + (size_t)i * (size_t)plate->n, plate->n, plate->turn, sign);
}

/* Rows become columns. The block for rank q holds this rank's rows and q's columns, and is turned while it is packed.
 */
static void transpose(Plate* plate) {
  int n = plate->n, rows = plate->rows, block = rows * rows;
  for (int q = 0; q < plate->ranks; ++q)
    for (int i = 0; i < rows; ++i)
      for (int j = 0; j < rows; ++j)
        plate->outgoing[(size_t)q * (size_t)block + (size_t)(j * rows + i)] = plate->grid[i * n + q * rows + j];
  Wave* arrived = plate->grid;
  MPI_Alltoall(plate->outgoing, block, MPI_C_DOUBLE_COMPLEX, arrived, block, MPI_C_DOUBLE_COMPLEX, MPI_COMM_WORLD);
  for (int q = 0; q < plate->ranks; ++q)
    for (int j = 0; j < rows; ++j)
      for (int i = 0; i < rows; ++i)
        plate->outgoing[(size_t)(j * n + q * rows + i)] = arrived[(size_t)q * (size_t)block + (size_t)(j * rows + i)];
  plate->grid = plate->outgoing;
  plate->outgoing = arrived;
}

/* Degrees that the heater adds in one step at the grid point: a bell that is periodic like the plate. */
static double warmth(const Heater* heater, double x, double y) {
  double across = sin(acos(-1.0) * (x - heater->x)), along = sin(acos(-1.0) * (y - heater->y));
  return time_step * heater->power * exp(-40.0 * (across * across + along * along));
}

static void heat(Plate* plate, const Heater* heater) {
  int n = plate->n;
  for (int i = 0; i < plate->rows; ++i)
    for (int j = 0; j < n; ++j)
      plate->grid[i * n + j] += warmth(heater, (double)j / n, (double)(plate->first_row + i) / n);
}

/* Every wave decays. In the transposed grid a row has one wave number along x, its elements have those along y. */
static void decay(Plate* plate) {
  int n = plate->n;
  double circle = 2 * acos(-1.0);
  for (int i = 0; i < plate->rows; ++i)
    for (int j = 0; j < n; ++j) {
      int kx = plate->first_row + i, ky = j;
      if (kx > n / 2) kx -= n;
      if (ky > n / 2) ky -= n;
      double k2 = circle * circle * ((double)kx * kx + (double)ky * ky);
      plate->grid[i * n + j] *= exp(-(kappa * k2 + loss) * time_step) / ((double)n * n);
    }
}

/* Mean, root of the mean square, and maximum of the temperature over the whole plate. */
static void measure(const Plate* plate, double* mean, double* rms, double* hottest) {
  double sums[2] = {0, 0}, total[2], top = -INFINITY;
  for (int i = 0; i < plate->rows * plate->n; ++i) {
    double u = creal(plate->grid[i]);
    sums[0] += u;
    sums[1] += u * u;
    if (u > top) top = u;
  }
  MPI_Allreduce(sums, total, 2, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  MPI_Allreduce(&top, hottest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  *mean = total[0] / plate->n / plate->n;
  *rms = sqrt(total[1] / plate->n / plate->n);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  Plate plate = {0};
  MPI_Comm_rank(MPI_COMM_WORLD, &plate.rank);
  MPI_Comm_size(MPI_COMM_WORLD, &plate.ranks);

  int parameters[2] = {128, 1000}; /* grid, steps */
  if (plate.rank == 0)
    for (int i = 1; i < argc && i <= 2; ++i) parameters[i - 1] = atoi(argv[i]);
  MPI_Bcast(parameters, 2, MPI_INT, 0, MPI_COMM_WORLD);
  int n = plate.n = parameters[0], steps = parameters[1];
  if (n < 2 || (n & (n - 1)) || n % plate.ranks || steps < 1) {
    if (plate.rank == 0)
      fprintf(stderr, "heat_spectrum: the grid must be a power of two that %d ranks divide, and steps positive\n",
              plate.ranks);
    MPI_Finalize();
    return 2;
  }
  plate.rows = n / plate.ranks;
  plate.first_row = plate.rank * plate.rows;
  plate.grid = allocate((size_t)plate.rows * (size_t)n, sizeof(Wave));
  plate.outgoing = allocate((size_t)plate.rows * (size_t)n, sizeof(Wave));
  plate.turn = allocate((size_t)n / 2, sizeof(Wave));
  for (int k = 0; k < n / 2; ++k) plate.turn[k] = cexp(-2 * acos(-1.0) * k / n * I);
  double* strips = allocate((size_t)plate.ranks, sizeof(double));

  double mean = 0, rms = 0, hottest = 0;
  Heater heater = {0, 0, 0};
  for (int step = 0; step < steps; ++step) {
    if (plate.rank == 0) {
      double seconds = step * time_step;
      heater.power = fmax(0, 10 * (wanted_mean - mean));
      heater.x = 0.5 + 0.3 * cos(seconds);
      heater.y = 0.5 + 0.3 * sin(2 * seconds);
    }
    MPI_Bcast(&heater, 3, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    heat(&plate, &heater);
    transform_rows(&plate, -1);
    transpose(&plate);
    transform_rows(&plate, -1);
    decay(&plate);
    transform_rows(&plate, +1);
    transpose(&plate);
    transform_rows(&plate, +1);
    measure(&plate, &mean, &rms, &hottest);

    double strip = 0; /* mean temperature of this rank's strip of the plate */
    for (int i = 0; i < plate.rows * n; ++i) strip += creal(plate.grid[i]);
    strip /= (double)plate.rows * n;
    MPI_Allgather(&strip, 1, MPI_DOUBLE, strips, 1, MPI_DOUBLE, MPI_COMM_WORLD);
    if (plate.rank == 0 && (step + 1) % (steps < 8 ? 1 : steps / 8) == 0) {
      double low = strips[0], high = strips[0];
      for (int q = 1; q < plate.ranks; ++q) {
        low = fmin(low, strips[q]);
        high = fmax(high, strips[q]);
      }
      printf("t = %6.2f s: mean %.6f, hottest %.6f, strips %.6f to %.6f\n", (step + 1) * time_step, mean, hottest, low,
             high);
    }
  }
  if (plate.rank == 0) printf("checksum %.10e %.10e %.10e\n", mean, rms, hottest);
  free(plate.grid);
  free(plate.outgoing);
  free(plate.turn);
  free(strips);
  MPI_Finalize();
  return 0;
}
