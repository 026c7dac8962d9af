/* Electrons of a carbon nanotube by Chebyshev's recursion: communication as NTUBE's has it in table 2 of STAR-MPI,
 * MPI_Allgatherv.
 *
 *   nanotube [RINGS] [STEPS]
 *
 * A tube of 32 unit cells around, two atoms in each, and so many rings of them along, closed to a torus. Electrons hop
 * between atoms up to `range` cells apart, exponentially less the farther they are. Rings are dealt to the ranks
 * unevenly, 2 : 3 : 4; a step is v(m+1) = 2 H v(m) - v(m-1), the work of the kernel polynomial method (Weisse, Wellein,
 * Alvermann and Fehske 2006), and gathers the vector, 8 bytes an atom. Its start is a sum of Bloch waves, so that
 * v(m) = sum of cos(m acos E) times each wave is known for the energies E of those. */
#include <string.h>

#include "program.h"

enum { around = 32, range = 10, width = 2 * range + 1, waves = 4 };

static const double tau = 6.283185307179586;

static int rings;
static double alike[width][width], across[width][width]; /* hopping from A to A, and from A to B, by cells between */
static double* now;                                      /* the vector: rings x around x 2 */
static double *next, *before; /* my rings of the one that is being made, and of the last but one */
static int *counts, *starts;

typedef struct {
  int i, j;            /* wave numbers around and along */
  double angle, phase; /* acos of its energy; of the B atoms */
} Wave;

/* Between two atoms; by their distance, in lengths of a bond, in the sheet that the tube is rolled of. */
static double hop(int i, int j, double bonds) {
  const double x = sqrt(3) * (i + 0.5 * j), y = 1.5 * j + bonds;
  return -exp(1 - sqrt(x * x + y * y));
}

/* The energies lie within the sum of what one atom hops: divided by it, within -1 and 1. */
static void build_hamiltonian(void) {
  double sum = 0;
  for (int j = 0; j < width; ++j)
    for (int i = 0; i < width; ++i) {
      const int here = i == range && j == range;
      alike[j][i] = here ? 0 : hop(i - range, j - range, 0);
      across[j][i] = hop(i - range, j - range, 1);
      sum += fabs(alike[j][i]) + fabs(across[j][i]);
    }
  for (int j = 0; j < width; ++j)
    for (int i = 0; i < width; ++i) {
      alike[j][i] /= sum;
      across[j][i] /= sum;
    }
}

static double turns(const Wave* wave, int i, int j) {
  return tau * ((double)wave->i * i / around + (double)wave->j * j / rings);
}

/* H of a Bloch wave is [[a, b], [conj(b), a]]; of its two states, the one of energy a + |b|. */
static Wave wave_at(unsigned index) {
  Wave wave = {(int)(random_at(2 * index) * around), (int)(random_at(2 * index + 1) * rings), 0, 0};
  double a = 0, re = 0, im = 0;
  for (int j = 0; j < width; ++j)
    for (int i = 0; i < width; ++i) {
      const double angle = turns(&wave, i - range, j - range);
      a += alike[j][i] * cos(angle);
      re += across[j][i] * cos(angle);
      im += across[j][i] * sin(angle);
    }
  wave.angle = acos(a + hypot(re, im));
  wave.phase = -atan2(im, re);
  return wave;
}

/* Rings `from` to `to` of the vector of a step, as it is known. */
static void exact(double* vector, int step, int from, int to) {
  memset(vector, 0, (size_t)(2 * (to - from) * around) * sizeof *vector);
  for (unsigned index = 0; index < waves; ++index) {
    const Wave wave = wave_at(index);
    const double share = cos(step * wave.angle) / waves;
    for (int j = from; j < to; ++j)
      for (int i = 0; i < around; ++i) {
        double* cell = vector + 2 * ((j - from) * around + i);
        cell[0] += share * cos(turns(&wave, i, j));
        cell[1] += share * cos(turns(&wave, i, j) + wave.phase);
      }
  }
}

/* My rings of the next vector. */
static void recur(int from, int to) {
  for (int j = from; j < to; ++j)
    for (int i = 0; i < around; ++i) {
      double a = 0, b = 0;
      for (int dj = 0; dj < width; ++dj) {
        const double* ring = now + 2 * around * ((j + dj - range + rings) % rings);
        for (int di = 0; di < width; ++di) {
          const double* cell = ring + 2 * ((i + di - range + around) % around);
          a += alike[dj][di] * cell[0] + across[dj][di] * cell[1];
          b += across[width - 1 - dj][width - 1 - di] * cell[0] + alike[dj][di] * cell[1];
        }
      }
      const int cell = 2 * ((j - from) * around + i);
      next[cell] = 2 * a - before[cell];
      next[cell + 1] = 2 * b - before[cell + 1];
    }
}

/* Shares of 2 : 3 : 4 in turn, in whole rings. */
static int first_ring(int rank) {
  const int weights[3] = {0, 2, 5};
  const long total = 9L * (job.ranks / 3) + weights[job.ranks % 3];
  return (int)(rings * (9L * (rank / 3) + weights[rank % 3]) / total);
}

int main(int argc, char** argv) {
  rings = start_job("nanotube", &argc, &argv, 768, 400);
  if (rings < width) fail("21 rings at least, so that no atom hops to another on two ways");
  const int from = first_ring(job.rank), to = first_ring(job.rank + 1), mine = 2 * around * (to - from);
  now = allocate(2 * (size_t)rings * around, sizeof *now);
  next = allocate((size_t)mine, sizeof *next);
  before = allocate((size_t)mine, sizeof *before);
  counts = allocate((size_t)job.ranks, sizeof *counts);
  starts = allocate((size_t)job.ranks, sizeof *starts);
  for (int rank = 0; rank < job.ranks; ++rank) {
    starts[rank] = 2 * around * first_ring(rank);
    counts[rank] = 2 * around * first_ring(rank + 1) - starts[rank];
  }
  build_hamiltonian();
  exact(before, -1, from, to);
  exact(now, 0, 0, rings);

  start_steps();
  for (int step = 0; step < job.steps; ++step) {
    recur(from, to);
    memcpy(before, now + starts[job.rank], (size_t)mine * sizeof *before);
    MPI_Allgatherv(next, mine, MPI_DOUBLE, now, counts, starts, MPI_DOUBLE, MPI_COMM_WORLD);
    end_step();
  }

  double* wanted = allocate(2 * (size_t)rings * around, sizeof *wanted);
  exact(wanted, job.steps, 0, rings);
  double worst = 0;
  for (int i = 0; i < 2 * rings * around; ++i) worst = fmax(worst, fabs(now[i] - wanted[i]));
  return end_job(demand("the distance from the known vector", worst, 1e-9));
}
