/* Allgathers to which a rank comes late.
 *
 * late CALLS BLOCK MILLISECONDS WHO: before each call rank WHO, or with -1 a rank drawn anew, does nothing for so long.
 * A pause is what this is about: nobody waits for it in order to be in step. Received data is checked. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

int main(int argc, char** argv) {
  int rank = 0, ranks = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (argc < 5) MPI_Abort(MPI_COMM_WORLD, 2);
  const int calls = atoi(argv[1]);
  const int block = atoi(argv[2]);
  const struct timespec pause = {0, atol(argv[3]) * 1000000L};
  const int who = atoi(argv[4]);
  unsigned char* out = malloc((size_t)block);
  unsigned char* in = malloc((size_t)block * (size_t)ranks);
  if (!out || !in) MPI_Abort(MPI_COMM_WORLD, 2);
  unsigned draw = 2; /* the first ranks drawn differ: a run that settles early has seen several, too */
  for (int call = 0; call < calls; ++call) {
    draw = draw * 1103515245U + 12345U;
    const int late = who >= 0 ? who : (int)(draw >> 16) % ranks;
    for (int i = 0; i < block; ++i) out[i] = (unsigned char)(rank * 31 + call + i % 7);
    if (rank == late) nanosleep(&pause, NULL);
    MPI_Allgather(out, block, MPI_BYTE, in, block, MPI_BYTE, MPI_COMM_WORLD);
    for (int i = 0; i < block * ranks; ++i) {
      if (in[i] == (unsigned char)(i / block * 31 + call + i % block % 7)) continue;
      fprintf(stderr, "late: wrong data in call %d at %d\n", call, i);
      MPI_Abort(MPI_COMM_WORLD, 1);
    }
  }
  free(out);
  free(in);
  MPI_Finalize();
  return 0;
}
