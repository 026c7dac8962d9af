#include "runtime/job/job.hpp"

#include <cstdio>

#include "messages/told.hpp"
#include "runtime/mpi/process.hpp"

namespace starling {

Job& job() {
  // Never destroyed: a program may call MPI_Finalize while its own statics are destroyed.
  static Job& only = *new Job;
  return only;
}

void print_notice(const std::string& sentence) {
  if (process().rank == 0) std::fprintf(stderr, "starling: %s\n", in_one_line(sentence).c_str());
}

}  // namespace starling
