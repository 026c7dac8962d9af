#pragma once

#include <string>
#include <string_view>

namespace starling {

/// The binary interfaces of MPI. The library is built once for each; a build serves every MPI with its ABI.
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
  std::string name;     ///< "openmpi", "mpich", "intel", "smpi"; "mpi-abi" for another one with the standard ABI
  std::string version;  ///< "4.1.4", "2021.18"; empty if unknown
  std::string path;     ///< of the shared library; empty if none is loaded
  Abi abi = built_for;
};

/// The loaded MPI library. Found at the first call of an MPI entry point; constant from then on.
const Flavour& flavour();

/// A symbol of the loaded MPI library, resolved as in the program: a tool that replaces PMPI_* comes before the
/// library, and data that the linker moved into the program (copy relocation) is found there. Null if there is none.
void* mpi_symbol(const char* name);

/// The symbol that the program would use without this library: of a tool behind it, or of the MPI library. Null if
/// there is none.
void* next_symbol(const char* name);

/// The same for a symbol that may be in another library than the MPI library: Fortran's.
void* next_symbol_anywhere(const char* name);

/// True if this build fits the loaded MPI and the program is not set-uid. Else every entry point calls the MPI library
/// directly, and no other function of Starling is called.
bool active();

}  // namespace starling
