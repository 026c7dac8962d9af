// What the Fortran module (include/starling/starling.f90) calls where C's functions take handles of MPI.

#include <starling/patterns.h>

#include "bindings/fortran.hpp"
#include "patterns/calls.hpp"
#include "runtime/mpi/pmpi.hpp"

using starling::Fint;

#pragma GCC visibility push(default)
extern "C" {

// Before MPI_Init nothing can be converted; C's function then says so.
static MPI_Comm comm_of(Fint comm) {
  return starling::pmpi.Comm_f2c == nullptr ? MPI_Comm{} : starling::pmpi.Comm_f2c(comm);
}

static MPI_Datatype type_of(Fint type) {
  return starling::pmpi.Type_f2c == nullptr ? MPI_Datatype{} : starling::pmpi.Type_f2c(type);
}

int starling_topology_cartesian_f(Fint cartesian, int corners, starling_topology* made) {
  return starling_topology_cartesian(comm_of(cartesian), corners, made);
}

int starling_topology_grid_f(int dimensions, const int* left, const int* right, const int* coordinates, Fint comm,
                             starling_topology* made) {
  return starling_topology_grid(dimensions, left, right, coordinates, comm_of(comm), made);
}

int starling_topology_graph_f(Fint graph, starling_topology* made) {
  return starling_topology_graph(comm_of(graph), made);
}

int starling_map_operator_f(Fint op, starling_map* made) {
  return starling_map_operator(starling::pmpi.Op_f2c == nullptr ? MPI_Op{} : starling::pmpi.Op_f2c(op), made);
}

int starling_vector_register_f(int dimensions, const int* extents, int values, starling_map map, Fint type, int order,
                               void* data, starling_vector* made) {
  return starling_vector_register(dimensions, extents, values, map, type_of(type), order, data, made);
}

int starling_vector_allocate_f(int dimensions, const int* extents, int values, starling_map map, Fint type, int order,
                               void** data, starling_vector* made) {
  return starling_vector_allocate(dimensions, extents, values, map, type_of(type), order, data, made);
}

int starling_request_communicator_f(starling_request request, Fint* comm, int* rank, int* ranks) {
  MPI_Comm its = starling::handles.comm_null;
  const int code = starling_request_communicator(request, &its, rank, ranks);
  if (code == STARLING_SUCCESS && comm != nullptr) *comm = starling::pmpi.Comm_c2f(its);
  return code;
}
}
#pragma GCC visibility pop
