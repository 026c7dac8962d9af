#include "bindings/fortran.hpp"

#include <algorithm>
#include <array>
#include <iterator>

#include "runtime/call/degrees.hpp"
#include "runtime/mpi/flavour.hpp"
#include "runtime/mpi/loaded.hpp"

namespace starling::from_fortran {

namespace {

/// The address of a named constant in the Fortran library: a common block, spelled as the compiler does. Null if the
/// program has no Fortran. Every library that is written in Fortran has such a block. The linker makes all that it
/// opens together use one of them: the one that MPI's Fortran library sees.
using Spellings = std::array<const void*, 4>;

Spellings find(std::array<const char*, 4> names) {
  const void* const of_library = next_symbol("ompi_init_f", true);
  Spellings found{};
  std::ranges::transform(names, found.begin(), [&](const char* name) {
    const void* const seen = symbol_as_seen_by(of_library, name);
    return seen != nullptr ? seen : mpi_symbol(name);
  });
  return found;
}

/// MPICH has them in one common block: MPI_BOTTOM, then MPI_IN_PLACE.
Spellings find_in_block(int place) {
  Spellings found = find({"mpipriv1_", "mpipriv1", "mpipriv1__", "MPIPRIV1"});
  for (const void*& one : found)
    if (one != nullptr) one = static_cast<const Fint*>(one) + place;
  return found;
}

bool contains(const Spellings& constants, const void* buffer) {
  return buffer != nullptr && std::ranges::find(constants, buffer) != constants.end();
}

bool is_in_place(const void* buffer) {
  static const Spellings constants =
      find({"mpi_fortran_in_place_", "mpi_fortran_in_place", "mpi_fortran_in_place__", "MPI_FORTRAN_IN_PLACE"});
  static const Spellings in_block = find_in_block(1);
  return contains(constants, buffer) || contains(in_block, buffer);
}

bool is_bottom(const void* buffer) {
  static const Spellings constants =
      find({"mpi_fortran_bottom_", "mpi_fortran_bottom", "mpi_fortran_bottom__", "MPI_FORTRAN_BOTTOM"});
  static const Spellings in_block = find_in_block(0);
  return contains(constants, buffer) || contains(in_block, buffer);
}

}  // namespace

void* address(void* buffer) {
  if (is_in_place(buffer)) return MPI_IN_PLACE;
  if (is_bottom(buffer)) return MPI_BOTTOM;
  return buffer;
}

Datatypes::Datatypes(const Fint* types, void* buffer, const Fint* comm) {
  if (is_in_place(buffer)) return;
  int inter = 0;
  int ranks = 0;
  pmpi.Comm_test_inter(communicator(comm), &inter);
  (inter != 0 ? pmpi.Comm_remote_size : pmpi.Comm_size)(communicator(comm), &ranks);
  *this = Datatypes(types, ranks);
}

Datatypes::Datatypes(const Fint* types, int count) {
  types_.reserve(static_cast<std::size_t>(count));
  std::transform(types, types + count, std::back_inserter(types_),
                 [](const Fint& handle) { return datatype(&handle); });
}

Datatypes outgoing(const Fint* types, const Fint* comm) {
  return {types, degrees_of(communicator(comm)).sends};
}

Datatypes incoming(const Fint* types, const Fint* comm) {
  return {types, degrees_of(communicator(comm)).receives};
}

}  // namespace starling::from_fortran
