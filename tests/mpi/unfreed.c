/* MPI_Comm_free fails, because a delete function of the program returns an error: the communicator stays, with its
 * name, and is used again before it is freed. Argument: how often it is used before and after that. Rank 0 prints how
 * often the free failed, and how many things went wrong. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int fails;

static int refuse(MPI_Comm comm, int key, void* value, void* extra) {
  (void)comm, (void)key, (void)value, (void)extra;
  return fails ? MPI_ERR_OTHER : MPI_SUCCESS;
}

static int sums(MPI_Comm comm, int times) {
  int wrong = 0, ranks;
  MPI_Comm_size(comm, &ranks);
  for (int i = 0; i < times; ++i) {
    int one = 1, sum = 0;
    MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, comm);
    wrong += sum != ranks;
  }
  return wrong;
}

static int has_name(MPI_Comm comm, const char* expected) {
  char name[MPI_MAX_OBJECT_NAME];
  int length;
  MPI_Comm_get_name(comm, name, &length);
  return strcmp(name, expected) == 0 && length == (int)strlen(expected);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int times = argc > 1 ? atoi(argv[1]) : 10;
  int rank, key, failed = 0, wrong = 0, all;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  char longest[MPI_MAX_OBJECT_NAME];
  memset(longest, 'x', sizeof longest);
  longest[MPI_MAX_OBJECT_NAME - 1] = '\0';
  const char* const names[] = {"kept", "", longest};
  MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, refuse, &key, NULL);
  for (int i = 0; i < 3; ++i) {
    MPI_Comm comm;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    MPI_Comm_set_name(comm, names[i]);
    MPI_Comm_set_attr(comm, key, NULL);
    wrong += sums(comm, times);
    fails = 1;
    failed += MPI_Comm_free(&comm) != MPI_SUCCESS && comm != MPI_COMM_NULL;
    fails = 0;
    wrong += !has_name(comm, names[i]);
    wrong += sums(comm, times);
    wrong += MPI_Comm_free(&comm) != MPI_SUCCESS;
  }
  PMPI_Reduce(&wrong, &all, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
  if (rank == 0) printf("%d failed, %d wrong\n", failed, all);
  fflush(stdout);
  return MPI_Finalize();
}
