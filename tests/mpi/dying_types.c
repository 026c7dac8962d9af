/* Datatypes that are used in collectives while they are being freed, by the delete function of an attribute that was
 * set before the type's first use, or behind it, or of a type that was not used before. The function may give the type
 * another name. Other types get their handles. Prints how many results are wrong. */
#include <mpi.h>
#include <stdio.h>

enum { rounds = 300, blocks = 4, most = 40 };

static int rank, faults, round_now, block, stride;

/* `blocks` blocks of `block` numbers, one at every `stride`-th place. */
static void broadcast(MPI_Datatype type) {
  int data[most];
  for (int i = 0; i < most; ++i) data[i] = rank == 0 ? round_now + i : -1;
  if (MPI_Bcast(data, 1, type, 0, MPI_COMM_WORLD) != MPI_SUCCESS) ++faults;
  for (int i = 0; i < most; ++i) {
    const int moved = rank == 0 || (i / stride < blocks && i % stride < block);
    faults += data[i] != (moved ? round_now + i : -1);
  }
}

static int use_again(MPI_Datatype type, int key, void* value, void* extra) {
  (void)key, (void)value, (void)extra;
  if (round_now / 4 % 2) MPI_Type_set_name(type, "of a library");
  broadcast(type);
  return MPI_SUCCESS;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  int key, total;
  MPI_Type_create_keyval(MPI_TYPE_NULL_COPY_FN, use_again, &key, NULL);
  for (round_now = 0; round_now < rounds; ++round_now) {
    block = 1 + round_now % 7;
    stride = block + round_now % 3;
    MPI_Datatype type;
    MPI_Type_vector(blocks, block, stride, MPI_INT, &type);
    MPI_Type_commit(&type);
    const int kind = round_now % 4;
    if (kind == 0) MPI_Type_set_attr(type, key, &key);
    if (kind != 1) broadcast(type);
    if (kind == 1 || kind == 2) MPI_Type_set_attr(type, key, &key);
    MPI_Type_free(&type);
  }
  MPI_Type_free_keyval(&key);
  PMPI_Allreduce(&faults, &total, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (rank == 0) printf("%d faults\n", total);
  MPI_Finalize();
  return total ? 1 : 0;
}
