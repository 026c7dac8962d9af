#pragma once

#include <string>

namespace starling {

/// Prints one line on stderr, on rank 0 only, before MPI_Init too: why nothing is tuned in this program.
void report_untuned(const std::string& why);

/// What is wrong where no MPI library is found.
inline constexpr const char* no_mpi_loaded =
    "no MPI library is loaded in this program, so nothing is tuned; is it linked to MPI statically?";

}  // namespace starling
