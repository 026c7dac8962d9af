/* A Lennard-Jones crystal that melts, on replicated positions: communication as LAMMPS's has it in table 2 of
 * STAR-MPI, MPI_Allreduce.
 *
 *   molecular_dynamics [UNIT CELLS A SIDE] [STEPS]       4 atoms in a unit cell, 8 cells at least
 *
 * Every rank knows all atoms. It finds the forces between the pairs of its share; MPI_Allreduce of 3 doubles an atom,
 * and of the potential energy, gives all forces to all. Pairs come from boxes no smaller than the cutoff, dealt to the
 * ranks in turn, each with itself and half of its neighbours. Reduced units; velocity Verlet keeps the energy but for
 * the square of the time step, and Newton's third law the momentum. */
#include <string.h>

#include "program.h"

static const double density = 0.8442, temperature = 1.44, cutoff = 4.0, time_step = 0.003;

static int atoms, boxes; /* in all; along a side */
static double side;      /* of the periodic cube */
static double (*place)[3], (*speed)[3];
static double *shares, *force; /* 3 numbers an atom, then the potential energy */
static int *first, *inhabitants;

/* On a face-centred cubic lattice, with random velocities whose sum is zero. */
static void place_atoms(int cells) {
  static const double corner[4][3] = {{0, 0, 0}, {0.5, 0.5, 0}, {0.5, 0, 0.5}, {0, 0.5, 0.5}};
  double sum[3] = {0, 0, 0};
  const double spread = sqrt(12 * temperature);
  for (int i = 0; i < atoms; ++i) {
    const int cell = i / 4, at[3] = {cell % cells, cell / cells % cells, cell / cells / cells};
    for (int axis = 0; axis < 3; ++axis) {
      place[i][axis] = (at[axis] + corner[i % 4][axis] + 0.25) * side / cells;
      speed[i][axis] = spread * (random_at((unsigned)(3 * i + axis)) - 0.5);
      sum[axis] += speed[i][axis];
    }
  }
  for (int i = 0; i < atoms; ++i)
    for (int axis = 0; axis < 3; ++axis) speed[i][axis] -= sum[axis] / atoms;
}

static int box_of(const double* at) {
  int box = 0;
  for (int axis = 2; axis >= 0; --axis) {
    const int here = (int)(at[axis] / side * boxes);
    box = box * boxes + (here < boxes ? here : boxes - 1);
  }
  return box;
}

/* Sorts the atoms by boxes: those of box b are inhabitants[first[b]] to inhabitants[first[b + 1] - 1]. */
static void sort_atoms(void) {
  const int count = boxes * boxes * boxes;
  memset(first, 0, ((size_t)count + 2) * sizeof *first);
  for (int i = 0; i < atoms; ++i) ++first[box_of(place[i]) + 2];
  for (int box = 2; box <= count; ++box) first[box] += first[box - 1];
  for (int i = 0; i < atoms; ++i) inhabitants[first[box_of(place[i]) + 1]++] = i;
}

/* Adds the forces between two boxes, the second one shifted by whole sides of the cube. */
static void interact(int one, int other, const double shift[3]) {
  static const double shift_of_energy = 4 * (1 / 16777216.0 - 1 / 4096.0); /* at the cutoff of 4 */
  for (int a = first[one]; a < first[one + 1]; ++a) {
    const int i = inhabitants[a];
    for (int b = one == other ? a + 1 : first[other]; b < first[other + 1]; ++b) {
      const int j = inhabitants[b];
      const double x = place[i][0] - place[j][0] - shift[0], y = place[i][1] - place[j][1] - shift[1],
                   z = place[i][2] - place[j][2] - shift[2], square = x * x + y * y + z * z;
      if (square >= cutoff * cutoff) continue;
      const double inverse = 1 / square, sixth = inverse * inverse * inverse;
      const double strength = 24 * inverse * sixth * (2 * sixth - 1);
      shares[3 * atoms] += 4 * sixth * (sixth - 1) - shift_of_energy;
      const double pull[3] = {strength * x, strength * y, strength * z};
      for (int axis = 0; axis < 3; ++axis) {
        shares[3 * i + axis] += pull[axis];
        shares[3 * j + axis] -= pull[axis];
      }
    }
  }
}

/* The forces on all atoms and the potential energy, from the shares of all ranks. */
static void find_forces(void) {
  sort_atoms();
  memset(shares, 0, (3 * (size_t)atoms + 1) * sizeof *shares);
  for (int box = job.rank; box < boxes * boxes * boxes; box += job.ranks)
    for (int neighbour = 13; neighbour < 27; ++neighbour) { /* 13 is the box itself, 0 to 12 those that have it */
      const int offset[3] = {neighbour % 3 - 1, neighbour / 3 % 3 - 1, neighbour / 9 - 1};
      int at[3] = {box % boxes, box / boxes % boxes, box / boxes / boxes};
      double shift[3];
      for (int axis = 0; axis < 3; ++axis) {
        at[axis] += offset[axis];
        shift[axis] = at[axis] < 0 ? -side : at[axis] == boxes ? side : 0;
        at[axis] = (at[axis] + boxes) % boxes;
      }
      interact(box, (at[2] * boxes + at[1]) * boxes + at[0], shift);
    }
  MPI_Allreduce(shares, force, 3 * atoms + 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}

static void kick(double time) {
  for (int i = 0; i < atoms; ++i)
    for (int axis = 0; axis < 3; ++axis) speed[i][axis] += time * force[3 * i + axis];
}

static void drift(double time) {
  for (int i = 0; i < atoms; ++i)
    for (int axis = 0; axis < 3; ++axis) {
      place[i][axis] += time * speed[i][axis];
      if (place[i][axis] < 0) place[i][axis] += side;
      if (place[i][axis] >= side) place[i][axis] -= side;
    }
}

/* Of an atom, on average. */
static double energy(void) {
  double sum = force[3 * atoms];
  for (int i = 0; i < atoms; ++i)
    for (int axis = 0; axis < 3; ++axis) sum += speed[i][axis] * speed[i][axis] / 2;
  return sum / atoms;
}

int main(int argc, char** argv) {
  const int cells = start_job("molecular_dynamics", &argc, &argv, 12, 600);
  atoms = 4 * cells * cells * cells;
  side = cbrt(atoms / density);
  boxes = (int)(side / cutoff);
  if (boxes < 3) fail("8 unit cells a side at least");
  place = allocate((size_t)atoms, sizeof *place);
  speed = allocate((size_t)atoms, sizeof *speed);
  shares = allocate(3 * (size_t)atoms + 1, sizeof *shares);
  force = allocate(3 * (size_t)atoms + 1, sizeof *force);
  first = allocate((size_t)(boxes * boxes * boxes) + 2, sizeof *first);
  inhabitants = allocate((size_t)atoms, sizeof *inhabitants);
  place_atoms(cells);
  find_forces();
  const double before = energy();

  start_steps();
  for (int step = 0; step < job.steps; ++step) {
    kick(time_step / 2);
    drift(time_step);
    find_forces();
    kick(time_step / 2);
    end_step();
  }

  double momentum = 0;
  for (int axis = 0; axis < 3; ++axis) {
    double sum = 0;
    for (int i = 0; i < atoms; ++i) sum += speed[i][axis];
    momentum = fmax(momentum, fabs(sum) / atoms);
  }
  demand("the mean momentum", momentum, 1e-12);
  return end_job(demand("the change of energy of an atom", fabs(energy() - before), 2e-3));
}
