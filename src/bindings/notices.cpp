#include "bindings/notices.hpp"

#include <cstdio>
#include <cstdlib>

#include "knowledge/explained.hpp"

namespace starling {

namespace {

/// Before MPI_Init the rank comes from the launcher's environment. A program without a launcher is rank 0.
bool is_first_rank() {
  for (const char* name : {"OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK", "SLURM_PROCID"})
    if (const char* rank = std::getenv(name)) return std::string(rank) == "0";
  return true;
}

}  // namespace

void report_untuned(const std::string& why) {
  if (!is_first_rank()) return;
  std::fprintf(stderr, "starling: %s\n", why.c_str());
  record_explained();
}

}  // namespace starling
