/* Neighbourhood collectives on distributed graphs in which two ranks have several links, and ranks have more of one
 * direction than of the other: `several_links ROUNDS COLLECTIVES`, of which the first so many are called, allgather,
 * allgatherv, alltoall, alltoallv, alltoallw. Rank 0 prints how many blocks of each were wrong. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { most_links = 64, room = 32, most_ranks = 8, collectives = 5, graphs = 5 };

struct links {
  int peers[most_links];
  int numbers[most_links]; /* of the link among those between the same two ranks, from 0 */
  int counts[most_links];
  int places[most_links];
  MPI_Aint addresses[most_links];
  MPI_Datatype types[most_links];
  int count;
};

static int rank, ranks;

static void add(struct links* to, int peer, int number) {
  const int i = to->count++;
  to->peers[i] = peer;
  to->numbers[i] = number;
  to->places[i] = i * room;
  to->addresses[i] = (MPI_Aint)((size_t)(i * room) * sizeof(int));
  to->types[i] = MPI_INT;
}

static int times_linked(int graph, int from, int to) {
  const int right = (from + 1) % ranks;
  switch (graph) {
    case 0: return to == right ? 2 : 0;                          /* twice to the right */
    case 1: return to == right ? from + 1 : 0;                   /* the last one most often */
    case 2: return to == 0 && from != 0 ? 3 : 0;                 /* all to the first */
    case 3: return (to == from ? 2 : 0) + (to == right ? 1 : 0); /* to itself as well */
    default: return (5 * from + 3 * to) % 4;
  }
}

/* Elements of each link between two ranks; to `ranks`, of what a rank gives to all. */
static int elements(int round, int from, int to) {
  return (round + 5 * from + 3 * to) % 9;
}

static int value(int from, int to, int number, int i) {
  return 1000000 * from + 10000 * to + 100 * number + i;
}

static int run(int graph, int rounds, int most, int* wrong) {
  struct links in = {.count = 0}, out = {.count = 0};
  for (int peer = 0; peer < ranks; ++peer) {
    for (int i = 0; i < times_linked(graph, peer, rank); ++i) add(&in, peer, i);
    for (int i = 0; i < times_linked(graph, rank, peer); ++i) add(&out, peer, i);
  }
  MPI_Comm comm;
  int weights[most_links]; /* GCC takes Open MPI's MPI_UNWEIGHTED for an array of no elements */
  for (int i = 0; i < most_links; ++i) weights[i] = 1;
  MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, in.count, in.peers, weights, out.count, out.peers, weights,
                                 MPI_INFO_NULL, 0, &comm);
  static int sent[most_links * room], received[most_links * room];
  for (int round = 0; round < rounds; ++round) {
    const int even = round % 7;
    for (int what = 0; what < most; ++what) {
      const int gathers = what < 2, is_even = what == 0 || what == 2;
      memset(received, 0xff, sizeof received);
      for (int i = 0; i < out.count; ++i) {
        out.counts[i] = is_even ? even : elements(round, rank, out.peers[i]);
        for (int k = 0; k < out.counts[i]; ++k)
          sent[(is_even ? i * even : out.places[i]) + k] = value(rank, out.peers[i], out.numbers[i], k);
      }
      for (int i = 0; i < in.count; ++i)
        in.counts[i] = is_even ? even : elements(round, in.peers[i], gathers ? ranks : rank);
      const int mine = is_even ? even : elements(round, rank, ranks);
      if (gathers)
        for (int k = 0; k < mine; ++k) sent[k] = value(rank, 0, 0, k);
      switch (what) {
        case 0: MPI_Neighbor_allgather(sent, even, MPI_INT, received, even, MPI_INT, comm); break;
        case 1: MPI_Neighbor_allgatherv(sent, mine, MPI_INT, received, in.counts, in.places, MPI_INT, comm); break;
        case 2: MPI_Neighbor_alltoall(sent, even, MPI_INT, received, even, MPI_INT, comm); break;
        case 3:
          MPI_Neighbor_alltoallv(sent, out.counts, out.places, MPI_INT, received, in.counts, in.places, MPI_INT, comm);
          break;
        default:
          MPI_Neighbor_alltoallw(sent, out.counts, out.addresses, out.types, received, in.counts, in.addresses,
                                 in.types, comm);
      }
      for (int i = 0; i < in.count; ++i) {
        const int* const block = received + (is_even ? i * even : in.places[i]);
        int differs = 0;
        for (int k = 0; k < in.counts[i]; ++k)
          differs |= block[k] != (gathers ? value(in.peers[i], 0, 0, k) : value(in.peers[i], rank, in.numbers[i], k));
        wrong[what] += differs;
      }
    }
  }
  return MPI_Comm_free(&comm);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (argc != 3 || ranks > most_ranks) MPI_Abort(MPI_COMM_WORLD, 2);
  int wrong[collectives] = {0}, all[collectives];
  for (int graph = 0; graph < graphs; ++graph) run(graph, atoi(argv[1]), atoi(argv[2]), wrong);
  PMPI_Reduce(wrong, all, collectives, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
  if (rank == 0) printf("%d %d %d %d %d\n", all[0], all[1], all[2], all[3], all[4]);
  fflush(stdout);
  return MPI_Finalize();
}
