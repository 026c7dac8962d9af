#include "runtime/contexts/setup.hpp"

namespace starling {

Setup& setup() {
  // Never destroyed: a program may call MPI_Finalize while its own statics are destroyed.
  static Setup& only = *new Setup;
  return only;
}

}  // namespace starling
