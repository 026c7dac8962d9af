#pragma once

#include <chrono>
#include <string>

namespace starling {

/// The program's run, from MPI_Init to MPI_Finalize.
struct Job {
  bool running = false;     ///< and Starling is active
  bool is_spawned = false;  ///< by MPI_Comm_spawn
  std::chrono::system_clock::time_point started;
  double started_wtime = 0;
  std::string history_file;  ///< of this run's record in the history, once it is written
};

/// The process's only one: MPI's entry points have no argument to pass it.
Job& job();

/// Prints one line on stderr, on rank 0 of MPI_COMM_WORLD only.
void print_notice(const std::string& sentence);

}  // namespace starling
