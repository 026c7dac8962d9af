/* `sizes_differ CALLS FIRST OTHER`: an alltoallv, again and again. The blocks of the first CALLS calls have about FIRST
 * bytes, those of the next CALLS calls about OTHER, and so on in turn; but one call of each turn has the other's. */
#include <mpi.h>
#include <stdlib.h>

enum { most_ranks = 16, turns = 3 };

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int ranks, counts[most_ranks], places[most_ranks];
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (argc != 4 || ranks > most_ranks) MPI_Abort(MPI_COMM_WORLD, 2);
  const int calls = atoi(argv[1]), about[2] = {atoi(argv[2]), atoi(argv[3])};
  const int largest = 2 * (about[0] > about[1] ? about[0] : about[1]);
  char* const from = calloc((size_t)ranks, (size_t)largest);
  char* const into = calloc((size_t)ranks, (size_t)largest);
  for (int call = 0; call < turns * calls; ++call) {
    const int is_other = (call / calls % 2 == 1) != (call % calls == calls / 2);
    const int bytes = about[is_other] * (4 + call * 7 % 5) / 4;
    for (int rank = 0; rank < ranks; ++rank) counts[rank] = bytes, places[rank] = rank * largest;
    MPI_Alltoallv(from, counts, places, MPI_CHAR, into, counts, places, MPI_CHAR, MPI_COMM_WORLD);
  }
  free(from);
  free(into);
  return MPI_Finalize();
}
