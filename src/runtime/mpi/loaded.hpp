#pragma once

#include <optional>
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

/// The name of the library for an ABI: libstarling-openmpi.so.
std::string variant_of(Abi abi);

/// The path of the shared object that contains an address; empty if none does.
std::string path_of(const void* address);

/// The library for an ABI: one that the program has loaded, or that lies beside the one that this is compiled into, or
/// in the folder of STARLING_VARIANTS, where `starling doctor --build` leaves what it may not put beside. Null, with
/// dlerror, if it cannot be opened. Not for set-uid programs.
void* open_variant(Abi abi);

/// The MPI library that the program is linked to, or one that it loaded without making its symbols public, as Python
/// does.
struct LoadedMpi {
  std::string path;        ///< of the shared library; empty if none is loaded
  std::optional<Abi> abi;  ///< none if it is not known
};

/// Searched anew by each call.
LoadedMpi find_loaded_mpi();

/// The one that is loaded at the first call of an MPI entry point, when this is first called.
const LoadedMpi& loaded_mpi();

/// A symbol of the loaded MPI library, resolved as in the program: a tool that replaces PMPI_* comes before the
/// library, and data that the linker moved into the program (copy relocation) is found there. Null if there is none.
void* mpi_symbol(const char* name);

/// The symbol that the program would use without the library that this is compiled into: of a tool behind it, or of
/// the MPI library. Null if there is none. `anywhere`: it may be in another library than the MPI library, as Fortran's.
void* next_symbol(const char* name, bool anywhere);

/// What a loaded object, the one that has the function at `inside`, means by a name that it refers to: its linker may
/// have found another definition than `mpi_symbol` does, if the object was opened without making its symbols public.
/// Null if it does not refer to that name.
void* symbol_as_seen_by(const void* inside, std::string_view name);

}  // namespace starling
