// What messages cost between two ranks: `starling calibrate` compiles and runs this, and fits the parameters of the
// cost model to what it prints, one JSON line. Rank 0 talks to the last rank and, where it is another one, to the first
// that is on the same host. Ranks in between wait.

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST_BYTES (256 * 1024)
#define SECONDS_A_SIZE 0.3
#define MOST_REPETITIONS 500
#define LARGE_BYTES (64 * 1024)
#define BURST 16
#define FLOOD 1000
#define STREAMS 9

static char* from;
static char* into;

static int ascending(const void* one, const void* other) {
  const double a = *(const double*)one;
  const double b = *(const double*)other;
  return (a > b) - (a < b);
}

static double median(double* values, int count) {
  qsort(values, (size_t)count, sizeof *values, ascending);
  return values[count / 2];
}

/// How often to repeat what took so long once.
static int repetitions(double seconds) {
  const double fit = SECONDS_A_SIZE / seconds;
  return fit < 5 ? 5 : fit > MOST_REPETITIONS ? MOST_REPETITIONS : (int)fit;
}

/// Seconds of a message's way there and back.
static double there_and_back(int rank, int peer, int bytes) {
  const double start = MPI_Wtime();
  if (rank == 0) {
    MPI_Send(from, bytes, MPI_BYTE, peer, 0, MPI_COMM_WORLD);
    MPI_Recv(into, bytes, MPI_BYTE, peer, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  } else {
    MPI_Recv(into, bytes, MPI_BYTE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Send(from, bytes, MPI_BYTE, 0, 0, MPI_COMM_WORLD);
  }
  return MPI_Wtime() - start;
}

/// Seconds one way, the median.
static double one_way(int rank, int peer, int bytes) {
  double times[MOST_REPETITIONS];
  there_and_back(rank, peer, bytes);  // connects
  int count = repetitions(there_and_back(rank, peer, bytes));
  if (rank == 0) MPI_Send(&count, 1, MPI_INT, peer, 1, MPI_COMM_WORLD);
  if (rank != 0) MPI_Recv(&count, 1, MPI_INT, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  for (int i = 0; i < count; ++i) times[i] = there_and_back(rank, peer, bytes) / 2;
  return median(times, count);
}

/// Sends and receives at the same time.
static void swap(int other, int bytes) {
  MPI_Sendrecv(from, bytes, MPI_BYTE, other, 4, into, bytes, MPI_BYTE, other, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

/// Seconds until both have a large message of the other, the median.
static double exchange(int rank, int peer) {
  double times[STREAMS];
  const int other = rank == 0 ? peer : 0;
  for (int i = 0; i < STREAMS; ++i) {
    swap(other, 1);  // so that both begin together
    const double start = MPI_Wtime();
    swap(other, MOST_BYTES);
    swap(other, 1);
    times[i] = MPI_Wtime() - start;
  }
  return median(times, STREAMS);
}

/// Seconds for each of `count` messages that follow each other: of the sender's calls alone, or until the receiver has
/// them all.
static double stream(int rank, int peer, int bytes, int count, int until_received) {
  double times[STREAMS];
  for (int i = 0; i < STREAMS; ++i) {
    const double start = MPI_Wtime();
    double sent = 0;
    if (rank == 0) {
      for (int k = 0; k < count; ++k) MPI_Send(from, bytes, MPI_BYTE, peer, 2, MPI_COMM_WORLD);
      sent = MPI_Wtime() - start;
      MPI_Recv(into, 1, MPI_BYTE, peer, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } else {
      for (int k = 0; k < count; ++k) MPI_Recv(into, bytes, MPI_BYTE, 0, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      MPI_Send(from, 1, MPI_BYTE, 0, 3, MPI_COMM_WORLD);
    }
    times[i] = (until_received ? MPI_Wtime() - start : sent) / count;
  }
  return median(times, STREAMS);
}

static void print_pair(const char* name, int rank, int peer) {
  if (rank == 0) printf("\"%s\": {\"one_way_s\": [", name);
  for (int bytes = 1; bytes <= MOST_BYTES; bytes = bytes == 1 ? 1024 : bytes * 4) {
    const double seconds = one_way(rank, peer, bytes);
    if (rank == 0) printf("%s[%d, %.9g]", bytes == 1 ? "" : ", ", bytes, seconds);
  }
  const double send = stream(rank, peer, 1, BURST, 0);
  const double flood = stream(rank, peer, 1, FLOOD, 1);
  const double large = stream(rank, peer, LARGE_BYTES, BURST, 1) / LARGE_BYTES;
  const double both = exchange(rank, peer);
  if (rank == 0)
    printf("], \"exchange_s\": %.9g, \"send_s\": %.9g, \"flood_s\": %.9g, \"s_per_byte\": %.9g}, ", both, send, flood,
           large);
}

/// Of local work, in the processor's caches.
static double a_byte_of(int combine) {
  double times[21];
  for (int i = 0; i < 21; ++i) {
    const double start = MPI_Wtime();
    if (combine) {
      MPI_Reduce_local(from, into, MOST_BYTES / (int)sizeof(double), MPI_DOUBLE, MPI_SUM);
    } else {
      memcpy(into, from, MOST_BYTES);
    }
    times[i] = (MPI_Wtime() - start) / MOST_BYTES;
  }
  return median(times, 21);
}

int main(int argc, char** argv) {
  int rank = 0;
  int ranks = 0;
  int length = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (ranks < 2) {
    fprintf(stderr, "it takes at least 2 ranks\n");
    MPI_Abort(MPI_COMM_WORLD, 2);
  }
  from = calloc(1, MOST_BYTES);
  into = calloc(1, MOST_BYTES);
  char name[MPI_MAX_PROCESSOR_NAME] = "";
  MPI_Get_processor_name(name, &length);
  char* names = calloc((size_t)ranks, MPI_MAX_PROCESSOR_NAME);
  MPI_Allgather(name, MPI_MAX_PROCESSOR_NAME, MPI_CHAR, names, MPI_MAX_PROCESSOR_NAME, MPI_CHAR, MPI_COMM_WORLD);
  const int last = ranks - 1;
  int beside = 1;
  while (beside < last && strcmp(names, names + (size_t)beside * MPI_MAX_PROCESSOR_NAME) != 0) ++beside;

  if (rank == 0)
    printf("{\"exchange_bytes\": %d, \"hosts\": [\"%s\", \"%s\"], ", MOST_BYTES, names,
           names + (size_t)last * MPI_MAX_PROCESSOR_NAME);
  if (rank == 0 || rank == last) print_pair("far", rank, last);
  if (beside < last && (rank == 0 || rank == beside)) print_pair("near", rank, beside);
  if (rank == 0) printf("\"copy_s_per_byte\": %.9g, \"combine_s_per_byte\": %.9g}\n", a_byte_of(0), a_byte_of(1));
  MPI_Barrier(MPI_COMM_WORLD);
  free(names);
  free(into);
  free(from);
  MPI_Finalize();
  return 0;
}
