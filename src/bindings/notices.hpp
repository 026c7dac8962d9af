#pragma once

namespace starling {

/// One line on stderr, from rank 0 only, for a program that runs on an MPI library this build is not for, or on none
/// that can be found: what is loaded, which build this is, what to do.
void say_wrong_build();

}  // namespace starling
