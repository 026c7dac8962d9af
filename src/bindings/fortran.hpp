#pragma once

#include <mpi.h>

#include <vector>

#include "runtime/mpi/pmpi.hpp"

/// Conversions of Fortran arguments to C.
namespace starling::from_fortran {

inline Fint value(const Fint* argument) {
  return *argument;
}
inline const int* array(const Fint* argument) {
  return argument;
}
/// An array of INTEGER(KIND=MPI_ADDRESS_KIND).
inline const MPI_Aint* addresses(const Fint* argument) {
  return reinterpret_cast<const MPI_Aint*>(argument);
}
inline MPI_Datatype datatype(const Fint* handle) {
  return pmpi.Type_f2c(*handle);
}
inline MPI_Op operation(const Fint* handle) {
  return pmpi.Op_f2c(*handle);
}
inline MPI_Comm communicator(const Fint* handle) {
  return pmpi.Comm_f2c(*handle);
}

/// The C address of a buffer: Fortran's MPI_IN_PLACE and MPI_BOTTOM are variables, recognised by their addresses.
void* address(void* buffer);

/// The datatypes of an alltoallw, one for each rank of the (remote) group; none if they are not significant.
class Datatypes {
 public:
  Datatypes(const Fint* types, void* buffer, const Fint* comm);
  Datatypes(const Fint* types, int count);
  operator const MPI_Datatype*() const { return types_.data(); }  // NOLINT: used as an argument

 private:
  std::vector<MPI_Datatype> types_;
};

/// The datatypes of a neighborhood alltoallw, one for each link of the communicator's topology.
Datatypes outgoing(const Fint* types, const Fint* comm);
Datatypes incoming(const Fint* types, const Fint* comm);

/// Returns the error code in `ierror`, which mpi_f08 may leave out.
inline void finish(Fint* ierror, int code) {
  if (ierror != nullptr) *ierror = code;
}

}  // namespace starling::from_fortran
