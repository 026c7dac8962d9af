/* Reductions of Fortran's kinds (MPI_Type_create_f90_real, ...): predefined datatypes without a name, to which
 * predefined operators apply. Prints how many results are wrong. */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

enum { rounds = 60, count = 6, most = 8 };

static int rank, ranks, faults;

/* Numbers of 8 bytes each: one in a real, two in a complex one. */
struct Kind {
  const char* name;
  MPI_Datatype type;
  int is_integer;
  int numbers;
};

static void store(const struct Kind* kind, void* at, int i, int value) {
  const double real = value;
  const long long integer = value;
  memcpy((char*)at + 8 * i, kind->is_integer ? (const void*)&integer : (const void*)&real, 8);
}

static void fill(const struct Kind* kind, void* data, int elements, int value) {
  for (int i = 0; i < elements * kind->numbers; ++i) store(kind, data, i, value + i);
}

static void expect(const struct Kind* kind, const char* what, const void* got, int elements, int factor, int offset) {
  char wanted[16 * count * most];
  for (int i = 0; i < elements * kind->numbers; ++i) store(kind, wanted, i, offset + factor * i);
  if (memcmp(got, wanted, 8 * (size_t)(elements * kind->numbers)) == 0) return;
  if (faults++ < 10) fprintf(stderr, "rank %d: %s of %s is wrong\n", rank, what, kind->name);
}

static void reduce(const struct Kind* kind, int round) {
  char in[16 * count * most], out[16 * count * most];
  const int all = ranks * (ranks - 1) / 2, before = rank * (rank - 1) / 2, root = round % ranks;
  const MPI_Comm comm = MPI_COMM_WORLD;
  fill(kind, in, count * ranks, rank);
  MPI_Allreduce(in, out, count, kind->type, MPI_SUM, comm);
  expect(kind, "allreduce", out, count, ranks, all);
  fill(kind, out, count, rank);
  MPI_Allreduce(MPI_IN_PLACE, out, count, kind->type, MPI_SUM, comm);
  expect(kind, "allreduce in place", out, count, ranks, all);
  MPI_Reduce(in, out, count, kind->type, MPI_SUM, root, comm);
  if (rank == root) expect(kind, "reduce", out, count, ranks, all);
  MPI_Scan(in, out, count, kind->type, MPI_SUM, comm);
  expect(kind, "scan", out, count, rank + 1, before + rank);
  MPI_Exscan(in, out, count, kind->type, MPI_SUM, comm);
  if (rank > 0) expect(kind, "exscan", out, count, rank, before);
  MPI_Reduce_scatter_block(in, out, count, kind->type, MPI_SUM, comm);
  expect(kind, "reduce_scatter_block", out, count, ranks, all + ranks * rank * count * kind->numbers);
  int shares[most] = {0};
  shares[ranks - 1] = count;
  MPI_Reduce_scatter(in, out, shares, kind->type, MPI_SUM, comm);
  if (rank == ranks - 1) expect(kind, "reduce_scatter", out, count, ranks, all);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  struct Kind kinds[] = {
      {"real", MPI_DATATYPE_NULL, 0, 1}, {"complex", MPI_DATATYPE_NULL, 0, 2}, {"integer", MPI_DATATYPE_NULL, 1, 1}};
  MPI_Type_create_f90_real(12, MPI_UNDEFINED, &kinds[0].type);
  MPI_Type_create_f90_complex(12, MPI_UNDEFINED, &kinds[1].type);
  MPI_Type_create_f90_integer(12, &kinds[2].type);
  for (int round = 0; round < rounds; ++round)
    for (int i = 0; i < 3; ++i) reduce(&kinds[i], round);
  int total;
  PMPI_Allreduce(&faults, &total, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (rank == 0) printf("%d faults\n", total);
  MPI_Finalize();
  return total ? 1 : 0;
}
