#pragma once

#include <memory>
#include <string>

#include "patterns/adcl_configuration.hpp"
#include "patterns/calls.hpp"
#include "patterns/creation.hpp"
#include "patterns/functions.hpp"
#include "patterns/request.hpp"
#include "runtime/call/call.hpp"

/// What the C and the Fortran form of ADCL's interface share.
namespace starling::patterns::adcl {

/// Carries out a call. Prints what is wrong on stderr, each sentence once, and returns ADCL's code.
int carried_out(const char* function, Error error, const std::string& sentence);

template <typename Body>
int call(const char* function, Body&& body) {
  std::string sentence;
  const Error error = attempt(std::forward<Body>(body), sentence);
  return error == Error::none ? 0 : carried_out(function, error, sentence);
}

/// Reads config.adcl on rank 0 and tells the others. Collective over MPI_COMM_WORLD.
void initialise();

/// Binds a set to data, tuned as the configuration says, as far as one rank can alone.
Prepared prepare(std::shared_ptr<FunctionSet> set, Data data);
/// Makes the request that all ranks have prepared. Collective.
Handle keep_prepared(Prepared prepared);

/// Maps of a halo and of an operator. Throw a Fault for what cannot be.
std::shared_ptr<Map> halo_of(int width);
Map reduced_by(MPI_Op op);
/// What the program says of a vector.
Vector::Shape shape_of(int ndims, const int* dims, int nc, std::shared_ptr<const Map> map, MPI_Datatype type,
                       Order order = Order::c);

/// A request for one call of a collective with MPI's own arguments. Collective.
Handle make_collective(const Call& call, bool nonblocking);

/// The kinds of neighbours by the numbers of ADCL_DIRECTION_*.
Direction direction_of(int number);

/// A grid by the neighbours of each dimension.
std::shared_ptr<Topology> grid_of_sides(int dimensions, const int* left, const int* right, const int* coordinates,
                                        int direction, MPI_Comm comm);
/// A grid by its neighbours. Some programs give the flips behind the right neighbours; where this rank cannot tell, the
/// lists of all ranks do when a request is made. With as many pairs as a Cartesian grid with corners has, corners are
/// exchanged too; the pairs of dimensions come first.
std::shared_ptr<Topology> grid_with_flips(int dimensions, int pairs, const int* left, const int* flips,
                                          const int* right, const int* coordinates, int direction, MPI_Comm comm);

}  // namespace starling::patterns::adcl
