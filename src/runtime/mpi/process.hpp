#pragma once

#include <mpi.h>

#include <mutex>
#include <vector>

namespace starling {

/// This process among those of MPI_COMM_WORLD, and what Starling has of the MPI library for itself. Set in MPI_Init.
struct Process {
  int rank = 0;  ///< in MPI_COMM_WORLD
  int size = 0;
  MPI_Comm world{};         ///< all ranks of MPI_COMM_WORLD on a private communicator: all of Starling's own messages
  int largest_tag = 0;      ///< on it
  bool concurrent = false;  ///< a rank may have threads that call MPI at once
  MPI_Comm alone{};         ///< a private communicator of this rank only, whose errors are returned
  std::mutex alone_guard;   ///< held while a thread uses it
};

/// MPI's entry points have no argument for it, so there is one.
Process& process();

/// The ranks of `comm`, which has `size`, in MPI_COMM_WORLD; MPI_UNDEFINED for one that another MPI_COMM_WORLD brought
/// in.
std::vector<int> ranks_in_world(MPI_Comm comm, int size);

}  // namespace starling
