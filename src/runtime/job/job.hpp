#pragma once

#include <chrono>
#include <string>

namespace starling {

/// The program's run, from MPI_Init to MPI_Finalize.
struct Job {
  bool running = false;  ///< with Starling at work
  std::chrono::system_clock::time_point started;
  double started_wtime = 0;
};

/// MPI's entry points have no argument for it, so there is one.
Job& job();

/// One line on stderr, from rank 0 of MPI_COMM_WORLD only.
void say(const std::string& sentence);

}  // namespace starling
