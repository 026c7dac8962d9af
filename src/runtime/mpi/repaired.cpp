#include "runtime/mpi/repaired.hpp"

#include "runtime/mpi/features.hpp"

#if STARLING_SIMULATED

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>
#include <vector>

#include "runtime/mpi/pmpi.hpp"

namespace starling {
namespace {

// SMPI divides by the number of elements; the program ends where there are none.

int allgatherv(const void* from, int gives, MPI_Datatype given, void* into, const int* counts, const int* starts,
               MPI_Datatype gotten, MPI_Comm comm) {
  int ranks = 0;
  pmpi.Comm_size(comm, &ranks);
  if (std::all_of(counts, counts + ranks, [](int count) { return count == 0; })) return MPI_SUCCESS;
  return ::PMPI_Allgatherv(from, gives, given, into, counts, starts, gotten, comm);
}

int reduce(const void* from, void* into, int count, MPI_Datatype type, MPI_Op op, int root, MPI_Comm comm) {
  return count == 0 ? MPI_SUCCESS : ::PMPI_Reduce(from, into, count, type, op, root, comm);
}

int allreduce(const void* from, void* into, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
  return count == 0 ? MPI_SUCCESS : ::PMPI_Allreduce(from, into, count, type, op, comm);
}

// Where Open MPI exchanges by pairs SMPI does that too, but only for powers of two of ranks: others end the program.

bool is_power_of_two(int ranks) {
  return (ranks & (ranks - 1)) == 0;
}

bool exchanges_by_pairs(int ranks) {
  return ranks < 4 || (ranks >= 64 && ranks < 128) || (ranks >= 256 && ranks < 1024);
}

/// The same, of blocks of so many bytes.
bool exchanges_by_pairs(int ranks, std::int64_t block) {
  constexpr std::int64_t kibi = 1024;
  if (ranks < 8) return block >= 512 * kibi && block < 1024 * kibi;
  if (ranks < 64 || ranks >= 1024) return false;
  return block >= (ranks >= 256 && ranks < 512 ? 32 * kibi : 256 * kibi);
}

int alltoall(const void* from, int gives, MPI_Datatype given, void* into, int gets, MPI_Datatype gotten,
             MPI_Comm comm) {
  int ranks = 0;
  int size = 0;
  pmpi.Comm_size(comm, &ranks);
  pmpi.Type_size(gotten, &size);
  if (is_power_of_two(ranks) || !exchanges_by_pairs(ranks, std::int64_t{size} * gets))
    return ::PMPI_Alltoall(from, gives, given, into, gets, gotten, comm);
  MPI_Request request = MPI_REQUEST_NULL;
  const int error = pmpi.Ialltoall(from, gives, given, into, gets, gotten, comm, &request);
  return error == MPI_SUCCESS ? pmpi.Wait(&request, MPI_STATUS_IGNORE) : error;
}

int alltoallv(const void* from, const int* gives, const int* from_starts, MPI_Datatype given, void* into,
              const int* gets, const int* into_starts, MPI_Datatype gotten, MPI_Comm comm) {
  int ranks = 0;
  pmpi.Comm_size(comm, &ranks);
  if (is_power_of_two(ranks) || !exchanges_by_pairs(ranks))
    return ::PMPI_Alltoallv(from, gives, from_starts, given, into, gets, into_starts, gotten, comm);
  MPI_Request request = MPI_REQUEST_NULL;
  const int error = pmpi.Ialltoallv(from, gives, from_starts, given, into, gets, into_starts, gotten, comm, &request);
  return error == MPI_SUCCESS ? pmpi.Wait(&request, MPI_STATUS_IGNORE) : error;
}

/// The smallest blocks, in bytes, that SMPI gathers in two segments each, as Open MPI does on few ranks.
std::int64_t segmented_blocks(int ranks) {
  constexpr std::int64_t kibi = 1024;
  return ranks < 4 ? 128 * kibi : ranks < 8 ? 256 * kibi : std::numeric_limits<std::int64_t>::max();
}

/// Of such segments only the second is too large to be sent without waiting. A receive that is posted for a large
/// message takes the small one that comes before it, so that SMPI deadlocks.
int gather(const void* from, int gives, MPI_Datatype given, void* into, int gets, MPI_Datatype gotten, int root,
           MPI_Comm comm) {
  int ranks = 0;
  int rank = 0;
  int size = 0;
  pmpi.Comm_size(comm, &ranks);
  pmpi.Comm_rank(comm, &rank);
  pmpi.Type_size(rank == root ? gotten : given, &size);
  if (std::int64_t{size} * (rank == root ? gets : gives) < segmented_blocks(ranks))
    return ::PMPI_Gather(from, gives, given, into, gets, gotten, root, comm);
  if (rank != root) return pmpi.Gatherv(from, gives, given, into, nullptr, nullptr, gotten, root, comm);
  const std::vector<int> ones(static_cast<std::size_t>(ranks), 1);
  std::vector<int> places(static_cast<std::size_t>(ranks));
  std::iota(places.begin(), places.end(), 0);
  MPI_Datatype block{};
  pmpi.Type_contiguous(gets, gotten, &block);
  pmpi.Type_commit(&block);
  const int error = pmpi.Gatherv(from, gives, given, into, ones.data(), places.data(), block, root, comm);
  pmpi.Type_free(&block);
  return error;
}

/// As Open MPI does it where a rank gets nothing. There SMPI's sums for others are wrong. If that rank passes null for
/// its result, the others wait for it.
int reduce_scatter(const void* from, void* into, const int* counts, MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
  int ranks = 0;
  int rank = 0;
  pmpi.Comm_size(comm, &ranks);
  pmpi.Comm_rank(comm, &rank);
  if (std::find(counts, counts + ranks, 0) == counts + ranks)
    return ::PMPI_Reduce_scatter(from, into, counts, type, op, comm);
  std::vector<int> starts(static_cast<std::size_t>(ranks));
  std::exclusive_scan(counts, counts + ranks, starts.begin(), 0);
  const int all = starts.back() + counts[ranks - 1];
  if (all == 0) return MPI_SUCCESS;
  MPI_Aint low = 0;
  MPI_Aint extent = 0;
  MPI_Aint true_low = 0;
  MPI_Aint true_extent = 0;
  pmpi.Type_get_extent(type, &low, &extent);
  pmpi.Type_get_true_extent(type, &true_low, &true_extent);
  std::vector<char> memory(rank == 0 ? static_cast<std::size_t>(true_extent + ((all - 1) * extent)) : 1);
  char* const sums = memory.data() - true_low;
  if (const int error = pmpi.Reduce(from == MPI_IN_PLACE ? into : from, sums, all, type, op, 0, comm);
      error != MPI_SUCCESS)
    return error;
  char nowhere{};
  return pmpi.Scatterv(sums, counts, starts.data(), type, into == nullptr ? &nowhere : into, counts[rank], type, 0,
                       comm);
}

// All of them: the names of MPI's functions and of those that stand for them.
#define STARLING_REPAIRED(F) \
  F(Allgatherv, allgatherv)  \
  F(Allreduce, allreduce)    \
  F(Alltoall, alltoall) F(Alltoallv, alltoallv) F(Gather, gather) F(Reduce, reduce) F(Reduce_scatter, reduce_scatter)

}  // namespace

void repair_pmpi() {
#define STARLING_PUT(function, ours) pmpi.function = ours;
  STARLING_REPAIRED(STARLING_PUT)
#undef STARLING_PUT
}

void* repaired(std::string_view name) {
#define STARLING_FIND(function, ours) \
  if (name == "MPI_" #function) return reinterpret_cast<void*>(ours);
  STARLING_REPAIRED(STARLING_FIND)
#undef STARLING_FIND
  return nullptr;
}

}  // namespace starling

#elif defined(OPEN_MPI)

namespace starling {

void repair_pmpi() {}

void* repaired(std::string_view /*name*/) {
  return nullptr;
}

}  // namespace starling

#else

#include <vector>

#include "runtime/mpi/flavour.hpp"
#include "runtime/mpi/loaded.hpp"
#include "runtime/mpi/pmpi.hpp"

namespace starling {
namespace {

using Alltoallw = int (*)(const void*, const int*, const MPI_Aint*, const MPI_Datatype*, void*, const int*,
                          const MPI_Aint*, const MPI_Datatype*, MPI_Comm);
using LargeAlltoallw = int (*)(const void*, const MPI_Count*, const MPI_Aint*, const MPI_Datatype*, void*,
                               const MPI_Count*, const MPI_Aint*, const MPI_Datatype*, MPI_Comm);

/// MPICH 4.0 widens as many counts of MPI_Neighbor_alltoallw in one direction as there are links in the other: it sends
/// and receives by counts that were never written, so that blocks are lost or ranks wait for ever. The form with large
/// counts widens none.
LargeAlltoallw large_alltoallw() {
  if (flavour().name != "mpich" || !flavour().version.starts_with("4.0")) return nullptr;
  return reinterpret_cast<LargeAlltoallw>(mpi_symbol("PMPI_Neighbor_alltoallw_c"));
}

int neighbor_alltoallw(const void* from, const int* gives, const MPI_Aint* from_places, const MPI_Datatype* given,
                       void* into, const int* gets, const MPI_Aint* into_places, const MPI_Datatype* gotten,
                       MPI_Comm comm) {
  static const auto small = reinterpret_cast<Alltoallw>(mpi_symbol("PMPI_Neighbor_alltoallw"));
  static const LargeAlltoallw large = large_alltoallw();
  int topology = MPI_UNDEFINED;
  int sources = 0;
  int destinations = 0;
  int weighted = 0;
  if (comm != handles.comm_null) pmpi.Topo_test(comm, &topology);
  if (topology == MPI_DIST_GRAPH) pmpi.Dist_graph_neighbors_count(comm, &sources, &destinations, &weighted);
  if (sources == destinations) return small(from, gives, from_places, given, into, gets, into_places, gotten, comm);
  const std::vector<MPI_Count> wide_gives(gives, gives + destinations);
  const std::vector<MPI_Count> wide_gets(gets, gets + sources);
  return large(from, wide_gives.data(), from_places, given, into, wide_gets.data(), into_places, gotten, comm);
}

}  // namespace

void repair_pmpi() {
  if (large_alltoallw() != nullptr) pmpi.Neighbor_alltoallw = neighbor_alltoallw;
}

void* repaired(std::string_view name) {
  return name == "MPI_Neighbor_alltoallw" && large_alltoallw() != nullptr ? reinterpret_cast<void*>(neighbor_alltoallw)
                                                                          : nullptr;
}

}  // namespace starling

#endif
