/* Names of communicators and datatypes: as the program gave them, also for its delete functions while they are freed.
 * Prints how many were not. With FOR_FORTRAN only what a Fortran program has in C. */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

typedef void checker(const MPI_Fint* handle);

static int comm_key, type_key, wrong;
static checker* check_comm_in_fortran;
static checker* check_type_in_fortran;

static int delete_of_comm(MPI_Comm comm, int key, void* value, void* extra) {
  (void)key, (void)value, (void)extra;
  char name[MPI_MAX_OBJECT_NAME];
  int length = -1;
  MPI_Comm_get_name(comm, name, &length);
  wrong += length != 6 || strcmp(name, "solver") != 0;
  const MPI_Fint handle = MPI_Comm_c2f(comm);
  if (check_comm_in_fortran) check_comm_in_fortran(&handle);
  return MPI_SUCCESS;
}

static int delete_of_type(MPI_Datatype type, int key, void* value, void* extra) {
  (void)key, (void)value, (void)extra;
  char name[MPI_MAX_OBJECT_NAME];
  int length = -1;
  MPI_Type_get_name(type, name, &length);
  wrong += length != 4 || strcmp(name, "pair") != 0;
  const MPI_Fint handle = MPI_Type_c2f(type);
  if (check_type_in_fortran) check_type_in_fortran(&handle);
  return MPI_SUCCESS;
}

static void make_keys(void) {
  MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, delete_of_comm, &comm_key, NULL);
  MPI_Type_create_keyval(MPI_TYPE_NULL_COPY_FN, delete_of_type, &type_key, NULL);
}

#ifdef FOR_FORTRAN

void attach_(const MPI_Fint* comm, const MPI_Fint* type, checker* of_comm, checker* of_type);
MPI_Fint wrong_in_c_(void);

void attach_(const MPI_Fint* comm, const MPI_Fint* type, checker* of_comm, checker* of_type) {
  if (!check_comm_in_fortran) make_keys();
  check_comm_in_fortran = of_comm;
  check_type_in_fortran = of_type;
  MPI_Comm_set_attr(MPI_Comm_f2c(*comm), comm_key, &comm_key);
  MPI_Type_set_attr(MPI_Type_f2c(*type), type_key, &type_key);
}

MPI_Fint wrong_in_c_(void) {
  return wrong;
}

#else

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  make_keys();
  for (int round = 0; round < 8; ++round) {
    MPI_Comm comm;
    MPI_Datatype type;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_set_name(comm, "solver");
    MPI_Type_contiguous(2, MPI_INT, &type);
    MPI_Type_commit(&type);
    MPI_Type_set_name(type, "pair");
    const int attaches_first = round % 2;
    for (int step = 0; step < 2; ++step) {
      if (step == attaches_first) {
        int data[2] = {round, round};
        MPI_Bcast(data, 1, type, 0, comm);
      } else {
        MPI_Comm_set_attr(comm, comm_key, &comm_key);
        MPI_Type_set_attr(type, type_key, &type_key);
      }
    }
    MPI_Type_free(&type);
    MPI_Comm_free(&comm);
  }
  int rank, total;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Reduce(&wrong, &total, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
  if (rank == 0) printf("%d wrong\n", total);
  return MPI_Finalize();
}

#endif
