#pragma once

#include <memory>

#include "runtime/execution/ways/carrier.hpp"

namespace starling {

/// The MPI library carries out the call.
class LibraryCarrier final : public Carrier {
 public:
  Outcome carry_out(const Call& call, const Facts& /*facts*/, Resources& /*resources*/) override {
    // The application's error handler may free the communicator and this object: no member is used after the call.
    return {call.native(call), true, nullptr};
  }
};

inline std::unique_ptr<Carrier> carrier(const Library& /*library*/) {
  return std::make_unique<LibraryCarrier>();
}

}  // namespace starling
