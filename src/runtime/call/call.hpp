#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>

#include "schedule/collective.hpp"

namespace starling {

/// The counts of a v-collective as the caller gave them: int, or MPI_Count in the large-count form; displacements
/// likewise int or MPI_Aint. Null where the collective has none.
struct Counts {
  const void* values = nullptr;
  bool large = false;
  [[nodiscard]] std::int64_t operator[](int rank) const {
    return large ? static_cast<std::int64_t>(static_cast<const MPI_Count*>(values)[rank])
                 : static_cast<const int*>(values)[rank];
  }
};

struct Displacements {
  const void* values = nullptr;
  bool large = false;
  [[nodiscard]] std::int64_t operator[](int rank) const {
    if (values == nullptr) return 0;  // valid only if all blocks are empty
    return large ? static_cast<std::int64_t>(static_cast<const MPI_Aint*>(values)[rank])
                 : static_cast<const int*>(values)[rank];
  }
};

/// One call of a blocking collective, exactly as the application made it. Arguments that a collective does not have
/// keep their defaults. A vector has `sendcount` elements of `sendtype` (allreduce, reduce, scan, bcast; bcast's buffer
/// is `recvbuf`); every reduction's datatype is `sendtype`.
struct Call {
  Collective collective = Collective::barrier;
  const void* sendbuf = nullptr;
  void* recvbuf = nullptr;
  std::int64_t sendcount = 0;
  std::int64_t recvcount = 0;
  Counts sendcounts{};
  Counts recvcounts{};
  Displacements sdispls{};
  Displacements rdispls{};
  MPI_Datatype sendtype{};
  MPI_Datatype recvtype{};
  const MPI_Datatype* sendtypes = nullptr;  ///< alltoallw
  const MPI_Datatype* recvtypes = nullptr;
  MPI_Op op{};
  int root = 0;
  MPI_Comm comm{};
  /// Makes the same call in the MPI library (PMPI), with the application's own arguments.
  int (*native)(const Call&) = nullptr;
};

/// Carries out a blocking collective. Every entry point calls it.
int carry_out(const Call& call);

}  // namespace starling
