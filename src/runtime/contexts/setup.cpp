#include "runtime/contexts/setup.hpp"

namespace starling {

Setup& setup() {
  // Never destroyed: a program may call MPI_Finalize when its own statics are.
  static Setup& only = *new Setup;
  return only;
}

}  // namespace starling
