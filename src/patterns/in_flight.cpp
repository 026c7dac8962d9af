#include "patterns/in_flight.hpp"

namespace starling::patterns {

InFlight& in_flight() {
  // Never destroyed: a program may end its requests while its own statics are destroyed.
  static InFlight& only = *new InFlight;
  return only;
}

}  // namespace starling::patterns
