/* Cannon's algorithm for the product of two square matrices on a grid of q x q ranks: in each of q steps every rank
 * multiplies the blocks that it holds, and passes the one of A on to its left and the one of B upward, around the ring.
 * The rings are topologies of one dimension on all ranks, so that all ranks choose alike, and a block is a vector whose
 * halo is as wide as the block: the set `shift_rtol` fills the halo behind a block with the right neighbour's block,
 * while the rank multiplies. One timer tunes both rings by the time of a whole step.
 *
 *   mpicc -O2 cannon.c $(starling config --flags) -o cannon && mpirun -n 4 ./cannon 128 50
 *
 * usage: cannon SIDE PRODUCTS [STRATEGY]     side of a rank's block, how often the product is computed, and one of
 *                                            `starling strategies` in place of the run's
 *
 * It prints a line of JSON: `wrong` entries of those that are checked, the functions in use on the rings along rows and
 * along columns, and the seconds of all products on the slowest rank. */
#include <mpi.h>
#include <starling/patterns.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROW, COLUMN };

/* A block that goes around a ring: the middle one of three, the third is where the next one arrives. */
typedef struct {
  size_t cells;
  double* three_blocks;
  starling_request shift;
} Travelling;

static void require(int code) {
  if (code == STARLING_SUCCESS) return;
  fprintf(stderr, "cannon: %s: %s\n", starling_error_text(code), starling_error_detail());
  MPI_Abort(MPI_COMM_WORLD, 1);
}

/* Small whole numbers, so that products are exact. */
static double entry_of_a(int row, int column) {
  return (3 * row + 5 * column) % 11 - 5;
}
static double entry_of_b(int row, int column) {
  return (7 * row + 2 * column) % 13 - 6;
}

static double* middle_of(const Travelling* one) {
  return one->three_blocks + one->cells;
}

/* Along a dimension of the grid: ranks of a ring differ in their places there only. */
static void make(Travelling* one, MPI_Comm grid, int dimension, int side, const char* strategy) {
  const int cells = side * side, extents[] = {3 * cells};
  void* data = NULL;
  starling_topology topology;
  starling_map halo;
  starling_vector vector;
  starling_function_set shift;
  int left, right;
  MPI_Cart_shift(grid, dimension, 1, &left, &right);
  require(starling_topology_grid(1, &left, &right, NULL, grid, &topology));
  require(starling_map_halo(cells, &halo));
  require(starling_vector_allocate(1, extents, 0, halo, MPI_DOUBLE, STARLING_ORDER_C, &data, &vector));
  require(starling_function_set_predefined("shift_rtol", &shift));
  require(starling_request_create(shift, topology, vector, vector, 0, strategy, &one->shift));
  one->cells = (size_t)cells;
  one->three_blocks = data;
  /* The request keeps what it needs. */
  require(starling_vector_free(&vector));
  require(starling_map_free(&halo));
  require(starling_topology_free(&topology));
}

static void multiply(int side, const double* a, const double* b, double* c) {
  for (int row = 0; row < side; ++row)
    for (int k = 0; k < side; ++k) {
      const double factor = a[row * side + k];
      for (int column = 0; column < side; ++column) c[row * side + column] += factor * b[k * side + column];
    }
}

/* One entry of each row of the block, computed anew. */
static int wrong_entries(int side, int q, const int place[], const double* c) {
  int wrong = 0;
  for (int row = 0; row < side; ++row) {
    const int column = 7 * row % side;
    double right = 0;
    for (int k = 0; k < q * side; ++k)
      right += entry_of_a(place[ROW] * side + row, k) * entry_of_b(k, place[COLUMN] * side + column);
    wrong += c[row * side + column] != right;
  }
  return wrong;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank, ranks, q = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  while (q * q < ranks) ++q;
  const int side = argc > 2 ? atoi(argv[1]) : 0, products = argc > 2 ? atoi(argv[2]) : 0;
  if (q * q != ranks || side < 1 || side > 4096 || products < 1 || argc > 4) {
    if (rank == 0)
      fprintf(stderr, "usage: cannon SIDE PRODUCTS [STRATEGY], on 1, 4, 9, 16, ... ranks: cannon 128 50; here are %d\n",
              ranks);
    MPI_Finalize();
    return 2;
  }

  const int processes[] = {q, q}, periods[] = {1, 1};
  int place[2];
  MPI_Comm grid;
  MPI_Cart_create(MPI_COMM_WORLD, 2, processes, periods, 0, &grid);
  MPI_Cart_coords(grid, rank, 2, place);
  Travelling a, b;
  make(&a, grid, COLUMN, side, argc > 3 ? argv[3] : NULL);
  make(&b, grid, ROW, side, argc > 3 ? argv[3] : NULL);
  double* c = malloc(a.cells * sizeof(double));
  if (c == NULL) MPI_Abort(MPI_COMM_WORLD, 1);
  const starling_request shifts[] = {a.shift, b.shift};
  starling_timer step;
  require(starling_timer_create(2, shifts, &step));

  /* The blocks that Cannon's first step needs: those of row i are i places ahead, those of column j are j. */
  const int ahead = (place[ROW] + place[COLUMN]) % q;
  for (int row = 0; row < side; ++row)
    for (int column = 0; column < side; ++column) {
      middle_of(&a)[row * side + column] = entry_of_a(place[ROW] * side + row, ahead * side + column);
      middle_of(&b)[row * side + column] = entry_of_b(ahead * side + row, place[COLUMN] * side + column);
    }

  int wrong = 0;
  double seconds = 0;
  for (int product = 0; product < products; ++product) {
    const double start = MPI_Wtime();
    memset(c, 0, a.cells * sizeof(double));
    for (int i = 0; i < q; ++i) {
      require(starling_timer_start(step));
      require(starling_request_init(a.shift));
      require(starling_request_init(b.shift));
      multiply(side, middle_of(&a), middle_of(&b), c);
      require(starling_request_wait(a.shift));
      require(starling_request_wait(b.shift));
      require(starling_timer_stop(step));
      memcpy(middle_of(&a), middle_of(&a) + a.cells, a.cells * sizeof(double));
      memcpy(middle_of(&b), middle_of(&b) + b.cells, b.cells * sizeof(double));
    }
    seconds += MPI_Wtime() - start;
    wrong += wrong_entries(side, q, place, c);
  }

  int all_wrong = 0;
  double slowest = 0;
  MPI_Reduce(&wrong, &all_wrong, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
  MPI_Reduce(&seconds, &slowest, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
  if (rank == 0) {
    const char *along_rows = NULL, *along_columns = NULL;
    require(starling_request_function(a.shift, &along_rows));
    require(starling_request_function(b.shift, &along_columns));
    printf("{\"program\": \"cannon\", \"ranks\": %d, \"side\": %d, \"products\": %d, \"wrong\": %d, ", ranks, side,
           products, all_wrong);
    printf("\"along_rows\": \"%s\", \"along_columns\": \"%s\", \"seconds\": %.9g}\n", along_rows, along_columns,
           slowest);
  }
  require(starling_timer_free(&step));
  require(starling_request_free(&a.shift));
  require(starling_request_free(&b.shift));
  MPI_Comm_free(&grid);
  free(c);
  MPI_Finalize();
  return all_wrong != 0;
}
