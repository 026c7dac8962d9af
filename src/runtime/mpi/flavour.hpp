#pragma once

#include <string>

#include "runtime/mpi/loaded.hpp"

namespace starling {

/// The ABI this build of the library is for; CMake defines STARLING_ABI.
inline constexpr Abi built_for = Abi::STARLING_ABI;

/// The MPI library that the program runs on.
struct Flavour {
  std::string name;     ///< "openmpi", "mpich", "intel", "smpi"; "mpi-abi" for another one with the standard ABI
  std::string version;  ///< "4.1.4", "2021.18"; empty if unknown
  std::string path;     ///< of the shared library; empty if none is loaded
  Abi abi = built_for;  ///< where it is not known, MPICH's: a build is then used only because the user named it
};

/// The loaded MPI library. Found at the first call of an MPI entry point; constant from then on.
const Flavour& flavour();

/// True if this build fits the loaded MPI and the program is not set-uid. Else every entry point calls the MPI library
/// directly, and no other function of Starling is called.
bool active();

}  // namespace starling
