// MPI's neighbourhood collectives on random topologies in each of Starling's ways: what arrives is what the MPI library
// itself brings (PMPI). Ranks describe the same data by different datatypes. Prints how many calls were right.
//
//   neighbours SEED TOPOLOGIES
#include <mpi.h>
#include <starling/starling.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <sstream>
#include <string>
#include <vector>

namespace {

constexpr std::array collectives{"neighbor_allgather", "neighbor_allgatherv", "neighbor_alltoall", "neighbor_alltoallv",
                                 "neighbor_alltoallw"};

int here = 0;
int ranks = 0;

/// The ranks at the other ends of this rank's links; -1 beyond the end of a grid.
struct Neighbours {
  MPI_Comm comm = MPI_COMM_NULL;
  std::vector<int> out;
  std::vector<int> in;
  std::string what;
};

int number(std::mt19937& random, int low, int high) {
  return std::uniform_int_distribution<int>(low, high)(random);
}

Neighbours random_grid(std::mt19937& random) {
  Neighbours made;
  const int dimensions = number(random, 1, 4);
  std::vector<int> sides(static_cast<std::size_t>(dimensions));
  std::vector<int> periods;
  MPI_Dims_create(ranks, dimensions, sides.data());
  std::shuffle(sides.begin(), sides.end(), random);
  for (int d = 0; d < dimensions; ++d) periods.push_back(number(random, 0, 1));
  MPI_Cart_create(MPI_COMM_WORLD, dimensions, sides.data(), periods.data(), 0, &made.comm);
  made.what = "grid";
  for (int d = 0; d < dimensions; ++d) {
    int back = 0;
    int front = 0;
    MPI_Cart_shift(made.comm, d, 1, &back, &front);
    for (const int one : {back, front}) made.out.push_back(one == MPI_PROC_NULL ? -1 : one);
    made.what += " " + std::to_string(sides[static_cast<std::size_t>(d)]) +
                 (periods[static_cast<std::size_t>(d)] != 0 ? "p" : "");
  }
  made.in = made.out;
  return made;
}

/// Any links, several between two ranks and some to oneself; each rank lists its sources in an order of its own.
Neighbours random_distributed_graph(std::mt19937& random) {
  Neighbours made;
  const int links = number(random, 0, 4 * ranks);
  for (int i = 0; i < links; ++i) {
    const int from = number(random, 0, ranks - 1);
    const int to = number(random, 0, ranks - 1);
    if (from == here) made.out.push_back(to);
    if (to == here) made.in.push_back(from);
  }
  std::mt19937 own(static_cast<unsigned>(here));
  std::shuffle(made.in.begin(), made.in.end(), own);
  MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, static_cast<int>(made.in.size()), made.in.data(), MPI_UNWEIGHTED,
                                 static_cast<int>(made.out.size()), made.out.data(), MPI_UNWEIGHTED, MPI_INFO_NULL, 0,
                                 &made.comm);
  made.what = "distributed graph of " + std::to_string(links) + " links";
  return made;
}

/// A symmetric graph, as MPI_Graph_create has it.
Neighbours random_graph(std::mt19937& random) {
  Neighbours made;
  std::vector<std::vector<int>> lists(static_cast<std::size_t>(ranks));
  for (int i = 0; i < ranks; ++i)
    for (int j = i + 1; j < ranks; ++j)
      if (number(random, 0, 1) == 1) {
        lists[static_cast<std::size_t>(i)].push_back(j);
        lists[static_cast<std::size_t>(j)].push_back(i);
      }
  std::vector<int> ends;
  std::vector<int> edges;
  for (const auto& one : lists) {
    edges.insert(edges.end(), one.begin(), one.end());
    ends.push_back(static_cast<int>(edges.size()));
  }
  edges.push_back(0);
  MPI_Graph_create(MPI_COMM_WORLD, ranks, ends.data(), edges.data(), 0, &made.comm);
  made.out = made.in = lists[static_cast<std::size_t>(here)];
  made.what = "graph of " + std::to_string(edges.size() - 1) + " links";
  return made;
}

/// An int, or an int and a gap behind it.
struct Kind {
  MPI_Datatype type;
  int ints;
};
std::array<Kind, 2> kinds;

/// One side of a call: blocks of `counts` elements of a kind.
struct Side {
  std::vector<int> buffer;
  std::vector<int> counts;
  std::vector<int> places;  ///< in elements
  std::vector<MPI_Aint> addresses;
  std::vector<MPI_Datatype> types;
  Kind kind;
};

Side side(const std::vector<int>& counts, const Kind& kind, std::mt19937& own, bool dense) {
  Side made;
  made.kind = kind;
  made.counts = counts;
  int next = 0;
  for (const int count : counts) {
    made.places.push_back(next);
    made.addresses.push_back(static_cast<MPI_Aint>(next) * kind.ints * static_cast<MPI_Aint>(sizeof(int)));
    // Programs leave the types of empty blocks null, but Open MPI refuses it here.
    made.types.push_back(kind.type);
    next += count + (dense ? 0 : number(own, 0, 2));
  }
  // MPI libraries want addresses of arrays, even where there is no link.
  made.counts.push_back(0);
  made.places.push_back(0);
  made.addresses.push_back(0);
  made.types.push_back(kind.type);
  made.buffer.assign(static_cast<std::size_t>((next + 1) * kind.ints), -1);
  return made;
}

/// Elements from rank `from` to rank `to`: both know it, however many links they have.
int elements(unsigned seed, int from, int to) {
  std::mt19937 random(seed + (1009 * static_cast<unsigned>(from)) + (9176 * static_cast<unsigned>(to)));
  switch (number(random, 0, 5)) {
    case 0: return 0;
    case 1: return number(random, 2000, 20000);
    default: return number(random, 1, 30);
  }
}

/// MPICH 4.0's MPI_Neighbor_alltoallw loses blocks on distributed graphs: there is nothing to compare with.
#if defined(MPICH_NUMVERSION) && MPICH_NUMVERSION < 40100000
constexpr bool loses_blocks = true;
#else
constexpr bool loses_blocks = false;
#endif

struct Call {
  std::size_t collective;
  int even;  ///< elements of each block, where blocks are even: also where there are none, which Open MPI reads
  Side send;
  Side recv;
};

Call random_call(const Neighbours& on, std::size_t collective, unsigned seed, std::mt19937& own) {
  const bool gathers = collective < 2;
  const bool even = collective == 0 || collective == 2;
  const auto count = [&](int from, int to) {
    if (from < 0 || to < 0) return even ? elements(seed, 0, 0) : 3;
    return even ? elements(seed, 0, 0) : gathers ? elements(seed, from, from) : elements(seed, from, to);
  };
  std::vector<int> sent;
  std::vector<int> received;
  if (gathers) {
    sent.push_back(even ? elements(seed, 0, 0) : elements(seed, here, here));
  } else {
    for (const int to : on.out) sent.push_back(count(here, to));
  }
  for (const int from : on.in) received.push_back(count(from, here));
  const auto kind = [&] { return kinds[static_cast<std::size_t>(number(own, 0, 1))]; };
  Call call{collective, elements(seed, 0, 0), side(sent, kind(), own, even || gathers),
            side(received, kind(), own, even)};
  return call;
}

template <class Allgather, class Allgatherv, class Alltoall, class Alltoallv, class Alltoallw>
int perform(const Call& call, std::vector<int>& into, MPI_Comm comm, Allgather allgather, Allgatherv allgatherv,
            Alltoall alltoall, Alltoallv alltoallv, Alltoallw alltoallw) {
  const Side& s = call.send;
  const Side& r = call.recv;
  const int sends = call.collective == 1 ? s.counts.front() : call.even;
  switch (call.collective) {
    case 0: return allgather(s.buffer.data(), sends, s.kind.type, into.data(), call.even, r.kind.type, comm);
    case 1:
      return allgatherv(s.buffer.data(), sends, s.kind.type, into.data(), r.counts.data(), r.places.data(), r.kind.type,
                        comm);
    case 2: return alltoall(s.buffer.data(), sends, s.kind.type, into.data(), call.even, r.kind.type, comm);
    case 3:
      return alltoallv(s.buffer.data(), s.counts.data(), s.places.data(), s.kind.type, into.data(), r.counts.data(),
                       r.places.data(), r.kind.type, comm);
    default:
      return alltoallw(s.buffer.data(), s.counts.data(), s.addresses.data(), s.types.data(), into.data(),
                       r.counts.data(), r.addresses.data(), r.types.data(), comm);
  }
}

#if MPI_VERSION >= 4
/// The large-count forms of the collectives with arrays.
int perform_large(const Call& call, std::vector<int>& into, MPI_Comm comm) {
  const Side& s = call.send;
  const Side& r = call.recv;
  const std::vector<MPI_Count> sends(s.counts.begin(), s.counts.end());
  const std::vector<MPI_Count> receives(r.counts.begin(), r.counts.end());
  const std::vector<MPI_Aint> from(s.places.begin(), s.places.end());
  const std::vector<MPI_Aint> to(r.places.begin(), r.places.end());
  if (call.collective == 3)
    return MPI_Neighbor_alltoallv_c(s.buffer.data(), sends.data(), from.data(), s.kind.type, into.data(),
                                    receives.data(), to.data(), r.kind.type, comm);
  return MPI_Neighbor_alltoallw_c(s.buffer.data(), sends.data(), s.addresses.data(), s.types.data(), into.data(),
                                  receives.data(), r.addresses.data(), r.types.data(), comm);
}
constexpr bool has_large = true;
#else
int perform_large(const Call& /*call*/, std::vector<int>& /*into*/, MPI_Comm /*comm*/) {
  return MPI_ERR_OTHER;
}
constexpr bool has_large = false;
#endif

struct Tally {
  int right = 0;
  int wrong = 0;
  int refused = 0;
};

void try_call(Call& call, const Neighbours& on, const std::string& way, std::mt19937& own, Tally& tally) {
  // Twice with the same arguments, and other data; the second time in the large-count form, where there is one.
  for (int turn = 0; turn < 2; ++turn) {
    for (int& one : call.send.buffer) one = static_cast<int>(own() % 1000000U);
    std::vector<int> wanted = call.recv.buffer;
    std::vector<int> got = call.recv.buffer;
    int error = perform(call, wanted, on.comm, PMPI_Neighbor_allgather, PMPI_Neighbor_allgatherv,
                        PMPI_Neighbor_alltoall, PMPI_Neighbor_alltoallv, PMPI_Neighbor_alltoallw);
    error += has_large && turn == 1 && call.collective >= 3
                 ? perform_large(call, got, on.comm)
                 : perform(call, got, on.comm, MPI_Neighbor_allgather, MPI_Neighbor_allgatherv, MPI_Neighbor_alltoall,
                           MPI_Neighbor_alltoallv, MPI_Neighbor_alltoallw);
    const bool right = error == MPI_SUCCESS && got == wanted;
    ++(right ? tally.right : tally.wrong);
    if (!right)
      std::printf("rank %d: %s by %s on a %s is wrong\n", here, collectives.at(call.collective), way.c_str(),
                  on.what.c_str());
  }
  if (const char* why = starling_refusal(on.comm, collectives.at(call.collective)); *why != '\0') {
    ++tally.refused;
    std::printf("rank %d: %s by %s on a %s: %s\n", here, collectives.at(call.collective), way.c_str(), on.what.c_str(),
                why);
  }
}

std::vector<std::string> ways(const char* collective) {
  std::istringstream lines(starling_ways(collective, ranks));
  std::vector<std::string> all;
  for (std::string line; std::getline(lines, line);) all.push_back(line);
  return all;
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &here);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  MPI_Datatype with_gap{};
  MPI_Type_create_resized(MPI_INT, 0, 2 * sizeof(int), &with_gap);
  MPI_Type_commit(&with_gap);
  kinds = {{{MPI_INT, 1}, {with_gap, 2}}};
  const auto seed = static_cast<unsigned>(std::atoi(argv[1]));
  std::mt19937 shared(seed);
  std::mt19937 own(seed + 77 + static_cast<unsigned>(here));
  Tally tally;
  int ways_tried = 0;
  for (int i = 0; i < std::atoi(argv[2]); ++i) {
    Neighbours on = i % 3 == 0   ? random_grid(shared)
                    : i % 3 == 1 ? random_distributed_graph(shared)
                                 : random_graph(shared);
    for (std::size_t collective = 0; collective < collectives.size(); ++collective) {
      const unsigned drawn = shared();
      if (loses_blocks && collective == 4 && i % 3 == 1) continue;
      Call call = random_call(on, collective, drawn, own);
      for (const std::string& way : ways(collectives[collective])) {
        starling_choose(on.comm, collectives[collective], way.c_str());
        try_call(call, on, way, own, tally);
        ++ways_tried;
      }
    }
    MPI_Comm_free(&on.comm);
  }
  const std::array<int, 3> mine{tally.right, tally.wrong, tally.refused};
  std::array<int, 3> all{};
  MPI_Reduce(mine.data(), all.data(), 3, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
  if (here == 0) std::printf("%d ways, %d right, %d wrong, %d refused\n", ways_tried, all[0], all[1], all[2]);
  MPI_Type_free(&with_gap);
  MPI_Finalize();
  return 0;
}
