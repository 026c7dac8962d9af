#include "bindings/notices.hpp"

#include <array>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "knowledge/variables.hpp"
#include "messages/told.hpp"
#include "runtime/mpi/flavour.hpp"

namespace starling {

namespace {

/// Before MPI_Init the rank comes from the launcher's environment. A program without a launcher is rank 0.
bool is_first_rank() {
  for (const char* name : {"OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK", "SLURM_PROCID"})
    if (const char* rank = std::getenv(name)) return std::string(rank) == "0";
  return true;
}

std::string file_of(Abi abi) {
  return "libstarling-" + std::string(name_of(abi)) + ".so";
}

}  // namespace

void report_wrong_build() {
  if (!is_first_rank()) return;
  const Flavour& mpi = flavour();
  std::string line = "starling: ";
  if (mpi.path.empty())
    line += "no MPI library is loaded in this program, so nothing is tuned; is it linked to MPI statically?";
  else
    line += "the program runs on " + mpi.name + " " + told(mpi.version) + " (" + told(mpi.path) + "), and " +
            file_of(built_for) + " is not for it: nothing is tuned; use " + file_of(mpi.abi) + " (starling run --mpi " +
            std::string(name_of(mpi.abi)) + ")";
  std::fprintf(stderr, "%s\n", line.c_str());
  record_explained();
}

}  // namespace starling
