#include "runtime/call/facts.hpp"

#include <algorithm>

#include "algorithms/shared/node_memory.hpp"
#include "runtime/call/aliases.hpp"
#include "runtime/call/checks.hpp"
#include "runtime/call/degrees.hpp"
#include "runtime/call/significance.hpp"
#include "runtime/mpi/operator_check.hpp"
#include "runtime/mpi/pmpi.hpp"
#include "runtime/mpi/unit.hpp"

namespace starling {
namespace {

bool valid(std::int64_t count, MPI_Datatype type) {
  return count >= 0 && type != handles.datatype_null && is_committed(type);
}

/// Address 0 is MPI_BOTTOM with a derived datatype, and an error otherwise.
bool valid(const void* buffer, std::int64_t count, MPI_Datatype type) {
  return valid(count, type) && (buffer != nullptr || count == 0 || !predefined(type));
}

/// The buffer, counts and types of one side of a v-collective, with a type for each rank in alltoallw; `needs_types`:
/// for empty blocks too. A null buffer may be MPI_BOTTOM with any datatype, where no block begins at it.
bool valid(const void* buffer, const Counts& counts, const Displacements& displacements, MPI_Datatype type,
           const MPI_Datatype* types, int ranks, bool needs_types) {
  // Without displacements the libraries refuse the call or crash, also where all blocks are empty.
  if (counts.values == nullptr || displacements.values == nullptr) return false;
  bool has_data_at_buffer = false;
  for (int rank = 0; rank < ranks; ++rank) {
    if (counts[rank] < 0) return false;
    const std::int64_t at_buffer = displacements[rank] == 0 ? counts[rank] : 0;
    // Programs leave the datatypes of empty blocks null, and most libraries accept it.
    if (types != nullptr && (counts[rank] > 0 || needs_types) &&
        !(valid(counts[rank], types[rank]) && valid(buffer, at_buffer, types[rank])))
      return false;
    has_data_at_buffer = has_data_at_buffer || at_buffer > 0;
  }
  return types != nullptr || valid(buffer, has_data_at_buffer ? 1 : 0, type);
}

/// Bytes of all blocks of one side of a v-collective, with a type for each in alltoallw.
std::int64_t bytes_of(const Counts& counts, MPI_Datatype type, const MPI_Datatype* types, int ranks) {
  std::int64_t bytes = 0;
  for (int rank = 0; rank < ranks; ++rank)
    if (counts[rank] != 0) bytes += counts[rank] * (types == nullptr ? 1 : type_size(types[rank]));
  return types == nullptr ? bytes * type_size(type) : bytes;
}

/// `any_zero`: some rank has none.
std::int64_t sum_of(const Counts& counts, int ranks, bool& any_zero) {
  std::int64_t sum = 0;
  for (int rank = 0; rank < ranks; ++rank) {
    if (counts[rank] < 0) return -1;
    any_zero = any_zero || counts[rank] == 0;
    sum += counts[rank];
  }
  return sum;
}

/// Whether either all ranks pass MPI_IN_PLACE or none does. In other collectives each rank may decide for itself: the
/// standard allows it (scan, exscan, reduce_scatter), or MPI libraries accept it.
bool in_place_is_uniform(Collective collective) {
  const Traits& has = traits_of(collective);
  return has.send == Holds::blocks && has.recv == Holds::blocks;
}

/// Reads the arguments of a neighbourhood collective. False when they are wrong, or the communicator has no topology.
bool facts_of_neighbours(const Call& call, std::int64_t& work) {
  const Degrees degrees = degrees_of(call.comm);
  if (!degrees.has_topology) return false;
  const auto side = [&](const void* buffer, const Counts& counts, const Displacements& displacements,
                        std::int64_t count, MPI_Datatype type, const MPI_Datatype* types, int links, bool has_counts) {
    if (links == 0) return true;
    if (!has_counts) {
      if (!valid(buffer, count, type)) return false;
      work += count * type_size(type) * links;
      return true;
    }
    if (!valid(buffer, counts, displacements, type, types, links, false)) return false;
    work += bytes_of(counts, type, types, links);
    return true;
  };
  const bool is_gather =
      call.collective == Collective::neighbor_allgather || call.collective == Collective::neighbor_allgatherv;
  const bool is_even =
      call.collective == Collective::neighbor_allgather || call.collective == Collective::neighbor_alltoall;
  return side(call.sendbuf, call.sendcounts, call.sdispls, call.sendcount, call.sendtype, call.sendtypes, degrees.sends,
              !is_gather && !is_even) &&
         side(call.recvbuf, call.recvcounts, call.rdispls, call.recvcount, call.recvtype, call.recvtypes,
              degrees.receives, !is_even);
}

}  // namespace

bool facts_of(const Call& call, int ranks, int rank, Facts& facts) {
  const bool in_place = call.sendbuf == MPI_IN_PLACE;
  if (rooted(call.collective) && (call.root < 0 || call.root >= ranks)) return false;
  const auto [send, receive] = given_buffers(call, rank);
  if (send == Given::misplaced || receive == Given::misplaced) return false;
  bool commutative = true;
  bool built_in = true;
  if (reduces(call.collective)) {
    if (call.op == handles.op_null) return false;
    if (!predefined(call.op)) {
      int commutes = 0;
      pmpi.Op_commutative(call.op, &commutes);
      commutative = commutes != 0;
      built_in = false;
    }
  }

  std::int64_t bytes = 0;     // of one block
  std::int64_t units = 0;     // of all blocks
  std::int64_t elements = 0;  // of the vector
  std::int64_t element = 0;   // bytes of one
  std::int64_t work = 0;      // of this rank, where calls of one key differ in it
  bool any_zero = false;      // among counts that all ranks know
  const Checks& checks = checks_of(call.collective);
  switch (call.collective) {
    case Collective::barrier: break;
    case Collective::alltoall:
    case Collective::allgather:
      if (!valid(call.recvbuf, call.recvcount, call.recvtype)) return false;
      if (send == Given::data && !valid(call.sendbuf, call.sendcount, call.sendtype)) return false;
      bytes = call.recvcount * type_size(call.recvtype);
      units = bytes * ranks;
      break;
    case Collective::allgatherv: {
      if (call.recvcounts.values == nullptr || call.rdispls.values == nullptr) return false;
      const std::int64_t sum = sum_of(call.recvcounts, ranks, any_zero);
      if (!valid(sum, call.recvtype)) return false;
      if (call.recvbuf == nullptr &&
          !valid(nullptr, call.recvcounts, call.rdispls, call.recvtype, nullptr, ranks, false))
        return false;
      if (send == Given::data && !valid(call.sendbuf, call.sendcount, call.sendtype)) return false;
      units = sum * type_size(call.recvtype);
      bytes = units / ranks;
      break;
    }
    case Collective::bcast:
    case Collective::allreduce:
    case Collective::scan:
    case Collective::exscan:
    case Collective::reduce:
      if (!valid(call.collective == Collective::bcast ? call.recvbuf : call.sendbuf, call.sendcount, call.sendtype))
        return false;
      if (call.recvbuf == nullptr && receive == Given::data && !valid(nullptr, call.sendcount, call.sendtype))
        return false;
      element = type_size(call.sendtype);
      bytes = call.sendcount * element;
      elements = call.sendcount;
      units = reduces(call.collective) ? elements : bytes;
      break;
    case Collective::reduce_scatter_block:
      if (!valid(call.recvbuf, call.recvcount, call.sendtype) || !valid(call.sendbuf, call.recvcount, call.sendtype))
        return false;
      element = type_size(call.sendtype);
      bytes = call.recvcount * element;
      units = elements = call.recvcount * ranks;
      break;
    case Collective::reduce_scatter: {
      if (call.recvcounts.values == nullptr) return false;
      const std::int64_t sum = sum_of(call.recvcounts, ranks, any_zero);
      if (!valid(call.sendbuf, sum, call.sendtype) || !valid(call.recvbuf, call.recvcounts[rank], call.sendtype))
        return false;
      units = elements = sum;
      element = type_size(call.sendtype);
      bytes = sum * element / ranks;
      break;
    }
    case Collective::gather:
      if (receive == Given::data && !valid(call.recvbuf, call.recvcount, call.recvtype)) return false;
      if (send == Given::data && !valid(call.sendbuf, call.sendcount, call.sendtype)) return false;
      bytes = rank == call.root ? call.recvcount * type_size(call.recvtype) : call.sendcount * type_size(call.sendtype);
      units = bytes * ranks;
      break;
    case Collective::scatter:
      if (send == Given::data && !valid(call.sendbuf, call.sendcount, call.sendtype)) return false;
      if (receive == Given::data && !valid(call.recvbuf, call.recvcount, call.recvtype)) return false;
      bytes = rank == call.root ? call.sendcount * type_size(call.sendtype) : call.recvcount * type_size(call.recvtype);
      units = bytes * ranks;
      break;
    case Collective::gatherv:
      if (receive == Given::data &&
          !valid(call.recvbuf, call.recvcounts, call.rdispls, call.recvtype, nullptr, ranks, false))
        return false;
      if (send == Given::data && !valid(call.sendbuf, call.sendcount, call.sendtype)) return false;
      bytes = -1;
      // A root sends to itself.
      work = rank == call.root ? bytes_of(call.recvcounts, call.recvtype, nullptr, ranks) +
                                     (call.recvcounts[rank] * type_size(call.recvtype))
                               : call.sendcount * type_size(call.sendtype);
      break;
    case Collective::scatterv:
      if (send == Given::data &&
          !valid(call.sendbuf, call.sendcounts, call.sdispls, call.sendtype, nullptr, ranks, false))
        return false;
      if (receive == Given::data && !valid(call.recvbuf, call.recvcount, call.recvtype)) return false;
      bytes = -1;
      work = rank == call.root ? bytes_of(call.sendcounts, call.sendtype, nullptr, ranks) +
                                     (call.sendcounts[rank] * type_size(call.sendtype))
                               : call.recvcount * type_size(call.recvtype);
      break;
    case Collective::alltoallv:
    case Collective::alltoallw:
      if (!valid(call.recvbuf, call.recvcounts, call.rdispls, call.recvtype, call.recvtypes, ranks,
                 checks.no_type_to_receive))
        return false;
      if (send == Given::data && !valid(call.sendbuf, call.sendcounts, call.sdispls, call.sendtype, call.sendtypes,
                                        ranks, checks.no_type_to_send))
        return false;
      bytes = -1;
      work = bytes_of(call.recvcounts, call.recvtype, call.recvtypes, ranks) * (in_place ? 2 : 1);
      if (!in_place) work += bytes_of(call.sendcounts, call.sendtype, call.sendtypes, ranks);
      break;
    case Collective::neighbor_allgather:
    case Collective::neighbor_allgatherv:
    case Collective::neighbor_alltoall:
    case Collective::neighbor_alltoallv:
    case Collective::neighbor_alltoallw:
      if (!facts_of_neighbours(call, work)) return false;
      bytes = -1;
      break;
  }

  if (reduces(call.collective) && !applies(call.op, call.sendtype)) return false;
  if (refused_for_aliases(call, rank)) return false;

  const bool in_place_everywhere = in_place && in_place_is_uniform(call.collective);
  const bool large_elements = reduces(call.collective) && are_large_elements(element);
  facts.key = {.bytes = bytes,
               .commutative = commutative,
               .built_in = built_in,
               .in_place = in_place_everywhere,
               .large_elements = large_elements};
  facts.units = units;
  facts.work = bytes < 0 ? work : units;
  facts.alike = 0;
  facts.synchronises = waits_for_all(call.collective) && !any_zero;
  facts.situation = {.collective = call.collective,
                     .ranks = ranks,
                     .bytes = bytes,
                     .elements = reduces(call.collective) ? elements : bytes,
                     .commutative = commutative,
                     .in_place = in_place_everywhere,
                     .built_in = built_in,
                     .large_elements = large_elements};
  return true;
}

void LatestCall::keep(const Call& call, int rank) {
  // The null handle stands for an argument that the collective does not have, or that is not significant here.
  const auto of_mpi = [](MPI_Datatype type) {
    return type == MPI_Datatype{} || type == handles.datatype_null || predefined(type);
  };
  bool only_of_mpi = of_mpi(call.sendtype) && of_mpi(call.recvtype);
  const auto is_keepable = [&](MPI_Datatype type) { return of_mpi(type) || is_cached(type); };
  // The contents of an array that is significant here may change from call to call.
  const bool arrays_count = !rooted(call.collective) || call.root == rank;
  const bool has_arrays = arrays_count && (call.sendcounts.values != nullptr || call.recvcounts.values != nullptr ||
                                           call.sendtypes != nullptr || call.recvtypes != nullptr);
  kept_ = call.recvbuf != MPI_IN_PLACE && is_keepable(call.sendtype) && is_keepable(call.recvtype) &&
          (call.op == MPI_Op{} || predefined(call.op)) &&
          (!has_arrays || (is_among_neighbours(call.collective) && keep_arrays(call)));
  if (!kept_) return;
  if (!has_arrays) arrays_.reset();
  call_ = {.sendtype = call.sendtype,
           .op = call.op,
           .sendcount = call.sendcount,
           .recvtype = call.recvtype,
           .recvcount = call.recvcount,
           .root = call.root,
           .send_in_place = call.sendbuf == MPI_IN_PLACE,
           .send_null = call.sendbuf == nullptr,
           .recv_null = call.recvbuf == nullptr};
  aliased_distance_ = aliased_distance(call, rank);
  only_of_mpi = only_of_mpi && (!arrays_ || std::all_of(arrays_->types.begin(), arrays_->types.end(), of_mpi));
  types_freed_ = only_of_mpi ? 0 : types_freed();
}

/// False where a datatype can't be kept.
bool LatestCall::keep_arrays(const Call& call) {
  if (!arrays_) arrays_ = std::make_unique<Arrays>();
  arrays_->numbers.clear();
  arrays_->types.clear();
  arrays_->degrees = degrees_of(call.comm);
  const auto keep_side = [&](const Counts& counts, const Displacements& displacements, const MPI_Datatype* types,
                             int links) {
    if (counts.values == nullptr) return;
    for (int i = 0; i < links; ++i) {
      arrays_->numbers.push_back(counts[i]);
      arrays_->numbers.push_back(displacements[i]);
      if (types != nullptr) arrays_->types.push_back(types[i]);
    }
  };
  keep_side(call.sendcounts, call.sdispls, call.sendtypes, arrays_->degrees.sends);
  keep_side(call.recvcounts, call.rdispls, call.recvtypes, arrays_->degrees.receives);
  return std::all_of(arrays_->types.begin(), arrays_->types.end(), [](MPI_Datatype type) {
    return type == MPI_Datatype{} || type == handles.datatype_null || predefined(type) || is_cached(type);
  });
}

bool LatestCall::has_same_arrays(const Call& call) const {
  const std::int64_t* number = arrays_->numbers.data();
  const MPI_Datatype* type = arrays_->types.data();
  const auto is_same = [&](const Counts& counts, const Displacements& displacements, const MPI_Datatype* types,
                           int links) {
    if (counts.values == nullptr) return true;
    for (int i = 0; i < links; ++i) {
      if (counts[i] != *number++ || displacements[i] != *number++) return false;
      if (types != nullptr && types[i] != *type++) return false;
    }
    return true;
  };
  return is_same(call.sendcounts, call.sdispls, call.sendtypes, arrays_->degrees.sends) &&
         is_same(call.recvcounts, call.rdispls, call.recvtypes, arrays_->degrees.receives);
}

}  // namespace starling
