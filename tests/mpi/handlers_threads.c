/* Two threads of each rank on one communicator whose error handler counts: one calls collectives, the other sends to a
 * rank that does not exist, which must call the handler each time, and checks that the handler is the program's. Rank 0
 * prints the sums of all errors. */
#include <mpi.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

enum { calls = 1000, least_sends = 1000 };

static MPI_Comm comm;
static MPI_Errhandler handler;
static atomic_int handler_calls, done;
static int sent, foreign;

static void on_error(MPI_Comm* on, int* error, ...) {
  (void)on, (void)error;
  atomic_fetch_add(&handler_calls, 1);
}

static void* send_wrongly(void* nothing) {
  int data = 0;
  while (!atomic_load(&done) || sent < least_sends) {
    MPI_Errhandler now;
    MPI_Send(&data, 1, MPI_INT, 1 << 20, 0, comm);
    ++sent;
    MPI_Comm_get_errhandler(comm, &now);
    foreign += now != handler;
    MPI_Errhandler_free(&now);
  }
  return nothing;
}

int main(int argc, char** argv) {
  int provided, rank, ranks, wrong = 0, one = 1;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  if (provided != MPI_THREAD_MULTIPLE) MPI_Abort(MPI_COMM_WORLD, 2);
  MPI_Comm_create_errhandler(on_error, &handler);
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  MPI_Comm_set_errhandler(comm, handler);
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &ranks);
  pthread_t thread;
  pthread_create(&thread, NULL, send_wrongly, NULL);
  for (int i = 0; i < calls; ++i) {
    int sum = 0, said = i;
    MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, comm);
    MPI_Bcast(&said, 1, MPI_INT, i % ranks, comm);
    wrong += sum != ranks || said != i;
  }
  atomic_store(&done, 1);
  pthread_join(thread, NULL);
  int mine[3] = {sent - handler_calls, foreign, wrong}, all[3];
  PMPI_Reduce(mine, all, 3, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
  if (rank == 0)
    printf("%d errors not reported, %d handlers not the program's, %d wrong results\n", all[0], all[1], all[2]);
  MPI_Comm_free(&comm);
  MPI_Errhandler_free(&handler);
  return MPI_Finalize();
}
