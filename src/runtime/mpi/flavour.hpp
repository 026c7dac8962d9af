#pragma once

#include <string>
#include <string_view>

namespace starling {

/// The binary interfaces of MPI. The library is built once for each, and a build serves every MPI that speaks its ABI.
enum class Abi { openmpi, mpich, standard, smpi };

/// "openmpi", "mpich", "abi" (the standard ABI of MPI 5): as in the file name libstarling-<name>.so; "smpi"
/// (SimGrid's), as in libstarling-smpi.a, which is linked into the program.
constexpr std::string_view name_of(Abi abi) {
  switch (abi) {
    case Abi::openmpi: return "openmpi";
    case Abi::mpich: return "mpich";
    case Abi::smpi: return "smpi";
    case Abi::standard: break;
  }
  return "abi";
}

/// The ABI this build of the library is for; CMake defines STARLING_ABI.
inline constexpr Abi built_for = Abi::STARLING_ABI;

/// The MPI library that the program runs on.
struct Flavour {
  std::string
      name;  ///< who made it: "openmpi", "mpich", "intel", "smpi"; "mpi-abi" for another one with the standard ABI
  std::string version;  ///< "4.1.4", "2021.18"; empty if the library does not tell
  std::string path;     ///< of the shared library; empty if none is loaded
  Abi abi = built_for;  ///< the one it speaks
};

/// What is loaded. Found on the first call of an MPI entry point; constant from then on.
const Flavour& flavour();

/// A symbol of the loaded MPI library, as code of the program finds it: a tool that replaces PMPI_* comes before the
/// library, and data that the linker moved into the program is found there. Null if there is none.
void* mpi_symbol(const char* name);

/// What the program would have called under that name without us: that of a tool behind this library, or the MPI
/// library's own. Null if there is none.
void* next_symbol(const char* name);

/// The same for a symbol that may be in a library beside the MPI library: Fortran's.
void* next_symbol_anywhere(const char* name);

/// True where this build fits the loaded MPI and the program is not set-uid. Else every entry point is the MPI
/// library's own and no other function of Starling is ever called.
bool active();

}  // namespace starling
