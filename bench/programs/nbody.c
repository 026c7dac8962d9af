/* Bodies that attract each other, all pairs: communication as NBODY's has it in table 2 of STAR-MPI, MPI_Allgather.
 *
 *   nbody [BODIES] [STEPS]       a number that the ranks divide
 *
 * Bodies are dealt to the ranks, and gathered whole in each step, 88 bytes each; every rank sums up the forces on its
 * own. Leapfrog keeps the energy but for the square of the time step. Softening is the same both ways, so the forces of
 * a pair are opposite to the last bit, and momentum stays to rounding. */
#include "program.h"

typedef struct {
  double place[3], speed[3], pull[3];
  double mass, radius; /* within which the force is softened (Plummer) */
} Body;

enum { doubles_a_body = sizeof(Body) / sizeof(double) };

static const double time_step = 1e-3;

static int bodies, mine;
static Body *own, *all;

static void gather(void) {
  const int count = mine * doubles_a_body;
  MPI_Allgather(own, count, MPI_DOUBLE, all, count, MPI_DOUBLE, MPI_COMM_WORLD);
}

/* A homogeneous ball of mass 1 that turns about its axis. */
static Body body_at(int index) {
  const unsigned long long i = 4 * (unsigned long long)index;
  const double radius = cbrt(random_at(i)), height = 2 * random_at(i + 1) - 1;
  const double angle = 6.283185307179586 * random_at(i + 2), flat = sqrt(1 - height * height);
  const double x = radius * flat * cos(angle), y = radius * flat * sin(angle);
  return (Body){
      {x, y, radius * height}, {-0.7 * y, 0.7 * x, 0}, {0, 0, 0}, 1.0 / bodies, 0.03 + 0.02 * random_at(i + 3)};
}

/* The square of the softened distance between two bodies, and the way from one to the other. */
static double between(const Body* one, const Body* other, double way[3]) {
  double square = one->radius * one->radius + other->radius * other->radius;
  for (int axis = 0; axis < 3; ++axis) {
    way[axis] = other->place[axis] - one->place[axis];
    square += way[axis] * way[axis];
  }
  return square;
}

static void drift(double time) {
  for (int i = 0; i < mine; ++i)
    for (int axis = 0; axis < 3; ++axis) own[i].place[axis] += time * own[i].speed[axis];
}

static void kick(double time) {
  for (int i = 0; i < mine; ++i) {
    double *pull = own[i].pull, way[3];
    pull[0] = pull[1] = pull[2] = 0;
    for (int j = 0; j < bodies; ++j) { /* a body does not pull itself: its way is zero */
      const double square = between(&own[i], &all[j], way), strength = all[j].mass / (square * sqrt(square));
      for (int axis = 0; axis < 3; ++axis) pull[axis] += strength * way[axis];
    }
    for (int axis = 0; axis < 3; ++axis) own[i].speed[axis] += time * pull[axis];
  }
}

/* Energy, then momentum, of all bodies, on rank 0. */
static void measure(double totals[4]) {
  double sums[4] = {0, 0, 0, 0}, way[3];
  gather();
  for (int i = 0; i < mine; ++i) {
    const int self = job.rank * mine + i;
    for (int j = 0; j < bodies; ++j)
      if (j != self) sums[0] -= own[i].mass * all[j].mass / sqrt(between(&own[i], &all[j], way)) / 2;
    for (int axis = 0; axis < 3; ++axis) {
      sums[0] += own[i].mass * own[i].speed[axis] * own[i].speed[axis] / 2;
      sums[1 + axis] += own[i].mass * own[i].speed[axis];
    }
  }
  MPI_Reduce(sums, totals, 4, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
}

int main(int argc, char** argv) {
  bodies = start_job("nbody", &argc, &argv, 3072, 300);
  if (bodies % job.ranks) fail("the number of ranks must divide the number of bodies");
  mine = bodies / job.ranks;
  own = allocate((size_t)mine, sizeof *own);
  all = allocate((size_t)bodies, sizeof *all);
  for (int i = 0; i < mine; ++i) own[i] = body_at(job.rank * mine + i);

  double before[4] = {0}, after[4] = {0};
  measure(before);
  start_steps();
  for (int step = 0; step < job.steps; ++step) {
    drift(time_step / 2);
    gather();
    kick(time_step);
    drift(time_step / 2);
    end_step();
  }
  measure(after);

  double momentum = 0, energy = 0;
  if (job.rank == 0) {
    for (int axis = 1; axis <= 3; ++axis) momentum = fmax(momentum, fabs(after[axis] - before[axis]));
    energy = fabs(after[0] / before[0] - 1);
  }
  demand("the change of momentum", momentum, 1e-12);
  return end_job(demand("the relative change of energy", energy, 1e-4));
}
