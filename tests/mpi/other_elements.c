/* Reductions of the same bytes whose elements become larger, and of few elements that lie far apart, with an operator
 * of the program: prints how many results are wrong. */
#define _GNU_SOURCE
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

enum { count = 8192, calls = 40, far_apart = 4 };

static const MPI_Aint apart = 32 << 20;
static int rank, ranks, wrong;
static MPI_Op sum, sum_far;

static void add(void* from, void* into, int* elements, MPI_Datatype* type) {
  int bytes;
  MPI_Type_size(*type, &bytes);
  const long numbers = (long)*elements * bytes / (long)sizeof(double);
  for (long i = 0; i < numbers; ++i) ((double*)into)[i] += ((double*)from)[i];
}

static void add_far(void* from, void* into, int* elements, MPI_Datatype* type) {
  (void)type;
  for (int i = 0; i < *elements; ++i) *(double*)((char*)into + i * apart) += *(double*)((char*)from + i * apart);
}

/* What number i is on all ranks up to `last` together. */
static double sum_up_to(int last, int i) {
  return last * (last + 1) / 2.0 + (last + 1.0) * i;
}

static void check(const double* got, int numbers, int first, int last) {
  for (int i = 0; i < numbers; ++i) wrong += got[i] != sum_up_to(last, first + i);
}

/* Each reduction of `count` numbers, as elements of so many. */
static void reduce_all(int in_element, MPI_Datatype type) {
  static double mine[count], all[count];
  const int elements = count / in_element, block = elements / ranks, numbers = block * in_element;
  int* blocks = malloc((size_t)ranks * sizeof *blocks);
  for (int i = 0; i < count; ++i) mine[i] = rank + i;
  for (int i = 0; i < ranks; ++i) blocks[i] = block;
  for (int call = 0; call < calls; ++call) {
    MPI_Allreduce(mine, all, elements, type, sum, MPI_COMM_WORLD);
    check(all, count, 0, ranks - 1);
    MPI_Reduce(mine, all, elements, type, sum, 0, MPI_COMM_WORLD);
    if (rank == 0) check(all, count, 0, ranks - 1);
    MPI_Scan(mine, all, elements, type, sum, MPI_COMM_WORLD);
    check(all, count, 0, rank);
    MPI_Exscan(mine, all, elements, type, sum, MPI_COMM_WORLD);
    if (rank > 0) check(all, count, 0, rank - 1);
    MPI_Reduce_scatter_block(mine, all, block, type, sum, MPI_COMM_WORLD);
    check(all, numbers, rank * numbers, ranks - 1);
    MPI_Reduce_scatter(mine, all, blocks, type, sum, MPI_COMM_WORLD);
    check(all, numbers, rank * numbers, ranks - 1);
  }
  free(blocks);
}

static void reduce_far_apart(void) {
  const int how = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
  char* mine = mmap(NULL, (size_t)(far_apart * apart), PROT_READ | PROT_WRITE, how, -1, 0);
  char* all = mmap(NULL, (size_t)(far_apart * apart), PROT_READ | PROT_WRITE, how, -1, 0);
  MPI_Datatype type;
  MPI_Type_create_resized(MPI_DOUBLE, 0, apart, &type);
  MPI_Type_commit(&type);
  for (int call = 0; call < calls; ++call) {
    for (int i = 0; i < far_apart; ++i) *(double*)(mine + i * apart) = rank + i;
    MPI_Allreduce(mine, all, far_apart, type, sum_far, MPI_COMM_WORLD);
    for (int i = 0; i < far_apart; ++i) check((double*)(all + i * apart), 1, i, ranks - 1);
  }
  MPI_Type_free(&type);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  MPI_Op_create(add, 1, &sum);
  MPI_Op_create(add_far, 1, &sum_far);
  reduce_all(1, MPI_DOUBLE);
  const int in_large = count / 2 / ranks;
  MPI_Datatype large;
  MPI_Type_contiguous(in_large, MPI_DOUBLE, &large);
  MPI_Type_commit(&large);
  reduce_all(in_large, large);
  MPI_Type_free(&large);
  reduce_far_apart();
  int all_wrong;
  MPI_Reduce(&wrong, &all_wrong, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
  if (rank == 0) printf("%d wrong\n", all_wrong);
  return MPI_Finalize();
}
