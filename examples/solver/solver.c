/* An iterative solver for the Poisson equation on a box that is divided among a grid of ranks: the program of section 3
 * of Gabriel, Feki, Benkert and Resch 2008. Central differences on a mesh of equal spacing make a linear system of
 * seven coefficients a row; Jacobi's method solves it. Each iteration exchanges halos with up to six neighbours, by the
 * implementation that Starling finds fastest for a whole iteration, while the rank computes what needs no halo.
 *
 *   mpicc -O2 solver.c $(starling config --flags) -o solver -lm && mpirun -n 8 ./solver 32 32 32 700
 *
 * usage: solver X Y Z ITERATIONS [STRATEGY]     points a rank, and one of `starling strategies` in place of the run's
 *
 * It prints a line of JSON: `residual` is the root of the mean square of the residuals before the last update, which is
 * 1 at first. An iteration ends when the slowest rank has ended it: `iteration_seconds` are between these ends, and
 * `seconds` is their sum. */
#include <math.h>
#include <mpi.h>
#include <starling/patterns.h>
#include <stdio.h>
#include <stdlib.h>

enum { Z, Y, X, DIMENSIONS };

typedef struct {
  int points[DIMENSIONS]; /* a rank; those along X lie side by side in memory */
  double* u;              /* with a halo of one point on each side */
  double* residual;       /* likewise, so that both have the same indices */
} Mesh;

static void require(int code) {
  if (code == STARLING_SUCCESS) return;
  fprintf(stderr, "solver: %s: %s\n", starling_error_text(code), starling_error_detail());
  MPI_Abort(MPI_COMM_WORLD, 1);
}

/* The residuals of the points from..to, both included, in one plane. */
static void compute_plane(const Mesh* mesh, int z, const int from[], const int to[]) {
  const long row = mesh->points[X] + 2, plane = row * (mesh->points[Y] + 2);
  for (int y = from[Y]; y <= to[Y]; ++y) {
    const double* u = mesh->u + z * plane + y * row;
    double* residual = mesh->residual + z * plane + y * row;
    for (int x = from[X]; x <= to[X]; ++x)
      residual[x] = 1 - 6 * u[x] + (u[x - 1] + u[x + 1]) + (u[x - row] + u[x + row]) + (u[x - plane] + u[x + plane]);
  }
}

/* What needs no halo, while messages are on their way. */
static void compute_inside(const Mesh* mesh, starling_request exchange) {
  const int from[] = {2, 2, 2};
  const int to[] = {mesh->points[Z] - 1, mesh->points[Y] - 1, mesh->points[X] - 1};
  for (int z = from[Z]; z <= to[Z]; ++z) {
    compute_plane(mesh, z, from, to);
    require(starling_request_progress(exchange, NULL));
  }
}

/* The points beside halos: two layers in each dimension, without the points of the dimensions before it. */
static void compute_outside(const Mesh* mesh) {
  int from[] = {1, 1, 1};
  int to[] = {mesh->points[Z], mesh->points[Y], mesh->points[X]};
  for (int dimension = 0; dimension < DIMENSIONS; ++dimension) {
    const int layers[] = {1, mesh->points[dimension]};
    for (int i = 0; i < 2; ++i) {
      from[dimension] = to[dimension] = layers[i];
      for (int z = from[Z]; z <= to[Z]; ++z) compute_plane(mesh, z, from, to);
    }
    from[dimension] = 2;
    to[dimension] = mesh->points[dimension] - 1;
  }
}

/* Adds a sixth of the residuals to the solution, and returns the sum of their squares. */
static double update(const Mesh* mesh) {
  const long row = mesh->points[X] + 2, plane = row * (mesh->points[Y] + 2);
  double sum = 0;
  for (int z = 1; z <= mesh->points[Z]; ++z)
    for (int y = 1; y <= mesh->points[Y]; ++y) {
      double* u = mesh->u + z * plane + y * row;
      const double* residual = mesh->residual + z * plane + y * row;
      for (int x = 1; x <= mesh->points[X]; ++x) {
        u[x] += residual[x] / 6;
        sum += residual[x] * residual[x];
      }
    }
  return sum;
}

/* The same on each run: the ranks' sums are added in their order. */
static double sum_of_ranks(double mine, int rank, int ranks) {
  double* all = rank == 0 ? malloc((size_t)ranks * sizeof(double)) : NULL;
  double sum = 0;
  MPI_Gather(&mine, 1, MPI_DOUBLE, all, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
  for (int i = 0; rank == 0 && i < ranks; ++i) sum += all[i];
  free(all);
  return sum;
}

static int number(const char* text) {
  char* end = NULL;
  const long found = strtol(text, &end, 10);
  return *end == '\0' && found > 0 && found <= 1 << 20 ? (int)found : 0;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank, ranks;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  Mesh mesh = {.u = NULL};
  int iterations = 0, right = argc == 5 || argc == 6;
  for (int i = 0; right && i < DIMENSIONS; ++i) right = (mesh.points[X - i] = number(argv[1 + i])) > 0;
  if (!right || (iterations = number(argv[4])) == 0) {
    if (rank == 0) fprintf(stderr, "usage: solver X Y Z ITERATIONS [STRATEGY], points a rank: solver 32 32 32 700\n");
    MPI_Finalize();
    return 2;
  }

  int most_first[DIMENSIONS] = {0, 0, 0}, processes[DIMENSIONS], extents[DIMENSIONS];
  const int periods[DIMENSIONS] = {0, 0, 0};
  MPI_Comm grid;
  MPI_Dims_create(ranks, DIMENSIONS, most_first);
  for (int i = 0; i < DIMENSIONS; ++i) processes[X - i] = most_first[i];
  MPI_Cart_create(MPI_COMM_WORLD, DIMENSIONS, processes, periods, 0, &grid);
  for (int i = 0; i < DIMENSIONS; ++i) extents[i] = mesh.points[i] + 2;
  const size_t cells = (size_t)extents[Z] * (size_t)extents[Y] * (size_t)extents[X];
  mesh.u = calloc(cells, sizeof(double));
  mesh.residual = calloc(cells, sizeof(double));
  double* ends = calloc((size_t)iterations + 1, sizeof(double));
  if (mesh.u == NULL || mesh.residual == NULL || ends == NULL) {
    fprintf(stderr, "solver: no memory for %zu cells; give fewer points a rank\n", cells);
    MPI_Abort(MPI_COMM_WORLD, 1);
  }

  starling_topology topology;
  starling_map halo;
  starling_vector vector;
  starling_function_set halos;
  starling_request exchange;
  starling_timer iteration;
  require(starling_topology_cartesian(grid, 0, &topology));
  require(starling_map_halo(1, &halo));
  require(starling_vector_register(DIMENSIONS, extents, 0, halo, MPI_DOUBLE, STARLING_ORDER_C, mesh.u, &vector));
  require(starling_function_set_predefined("neighborhood", &halos));
  require(starling_request_create(halos, topology, vector, vector, 0, argc == 6 ? argv[5] : NULL, &exchange));
  require(starling_timer_create(1, &exchange, &iteration));

  double sum = 0;
  MPI_Barrier(MPI_COMM_WORLD);
  const double start = MPI_Wtime();
  for (int i = 0; i < iterations; ++i) {
    require(starling_timer_start(iteration));
    require(starling_request_init(exchange));
    compute_inside(&mesh, exchange);
    require(starling_request_wait(exchange));
    compute_outside(&mesh);
    require(starling_timer_stop(iteration));
    sum = update(&mesh);
    ends[i + 1] = MPI_Wtime() - start;
  }

  const double points = (double)ranks * mesh.points[Z] * mesh.points[Y] * mesh.points[X];
  const double residual = sqrt(sum_of_ranks(sum, rank, ranks) / points);
  MPI_Reduce(rank == 0 ? MPI_IN_PLACE : ends, ends, iterations + 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
  if (rank == 0) {
    const char* implementation = NULL;
    require(starling_request_function(exchange, &implementation));
    printf("{\"program\": \"solver\", \"ranks\": %d, \"processes\": [%d, %d, %d], \"points\": [%d, %d, %d], ", ranks,
           processes[X], processes[Y], processes[Z], mesh.points[X], mesh.points[Y], mesh.points[Z]);
    printf("\"residual\": %.15e, \"implementation\": \"%s\", \"seconds\": %.9g, \"iteration_seconds\": [", residual,
           implementation, ends[iterations]);
    for (int i = 0; i < iterations; ++i) printf("%s%.6g", i == 0 ? "" : ", ", ends[i + 1] - ends[i]);
    printf("]}\n");
  }
  require(starling_timer_free(&iteration));
  require(starling_request_free(&exchange));
  require(starling_vector_free(&vector));
  require(starling_topology_free(&topology));
  MPI_Comm_free(&grid);
  free(ends);
  free(mesh.residual);
  free(mesh.u);
  MPI_Finalize();
  return 0;
}
