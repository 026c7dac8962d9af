#pragma once

#include <memory>
#include <string>

#include "runtime/call/call.hpp"
#include "runtime/call/facts.hpp"
#include "runtime/execution/resources.hpp"
#include "ways/way.hpp"

namespace starling {

/// Carries out the calls of one context in one way, and keeps what that takes. For a new kind of way: a class in a file
/// of its own, and a line in `carrier_for`, which does not compile without it.
class Carrier {
 public:
  Carrier() = default;
  virtual ~Carrier() = default;
  Carrier(const Carrier&) = delete;
  Carrier& operator=(const Carrier&) = delete;
  Carrier(Carrier&&) = delete;
  Carrier& operator=(Carrier&&) = delete;

  struct Outcome {
    int error;                   ///< an MPI error code
    bool told;                   ///< the MPI library has told the application's error handler of it
    const std::string* refused;  ///< why the way can't serve here after all; null if it has served
  };
  /// Carries out `call`. Where a way is refused it is on all ranks, at its first call, which has not been made then.
  virtual Outcome carry_out(const Call& call, const Facts& facts, Resources& resources) = 0;
  /// Gives back what was made for it, on all ranks at the same call; later calls make it again. Collective.
  virtual void release(Resources& /*resources*/) {}
};

std::unique_ptr<Carrier> carrier_for(const Way& way);

}  // namespace starling
