#pragma once

namespace starling {

/// Prints one line on stderr, on rank 0 only, if this build is not for the program's MPI library, or no MPI library is
/// found: what is loaded, which build this is, what to do.
void report_wrong_build();

}  // namespace starling
