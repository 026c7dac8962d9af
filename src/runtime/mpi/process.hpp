#pragma once

#include <mpi.h>

#include <mutex>
#include <vector>

namespace starling {

/// This process in MPI_COMM_WORLD, and Starling's private communicators. Set in MPI_Init.
struct Process {
  int rank = 0;  ///< in MPI_COMM_WORLD
  int size = 0;
  MPI_Comm world{};         ///< a private communicator of all ranks of MPI_COMM_WORLD, for all of Starling's messages
  int largest_tag = 0;      ///< on `world`
  bool concurrent = false;  ///< on some rank several threads may call MPI at the same time
  bool shares = false;      ///< this rank shares its processors with others of its node
  bool some_share = false;  ///< some rank does; the same on all ranks
  MPI_Comm self{};          ///< a private communicator of this rank only, whose errors are returned
  std::mutex self_guard;    ///< held while a thread uses `self`
};

/// The process's only one: MPI's entry points have no argument to pass it.
Process& process();

/// Ends the job. By MPI_COMM_WORLD, which launchers kill as a whole: to end another communicator MPICH 4 has its ranks
/// wait for each other.
[[noreturn]] void end_job();

/// The ranks in MPI_COMM_WORLD of the `size` ranks of `comm`; MPI_UNDEFINED for ranks of another MPI_COMM_WORLD.
std::vector<int> ranks_in_world(MPI_Comm comm, int size);

}  // namespace starling
