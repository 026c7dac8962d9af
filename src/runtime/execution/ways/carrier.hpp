#pragma once

#include <memory>
#include <string>

#include "runtime/call/call.hpp"
#include "runtime/call/facts.hpp"
#include "runtime/execution/resources.hpp"
#include "ways/way.hpp"

namespace starling {

/// Carries out the calls of one context in one way, and holds the resources for it. Each kind of way has a class in its
/// own file, with a function `carrier` that makes one, which carrier.cpp includes.
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
    bool reported;               ///< the MPI library has called the application's error handler for it
    const std::string* refused;  ///< why the way can't serve here after all; null if it has served
    double setup_s = 0;  ///< seconds of the call until all ranks had the communicators and the memory that it needs
    const std::string* note = nullptr;  ///< what the way has to do without from this call on; null if nothing new
  };
  /// Carries out `call`. A way is refused only at its first call, or the first after it gave its resources back, on all
  /// ranks; that call is then not carried out.
  virtual Outcome carry_out(const Call& call, const Facts& facts, Resources& resources) = 0;
  /// Frees its resources, on all ranks at the same call; later calls allocate them again. Collective.
  virtual void release(Resources& /*resources*/) {}
  /// Frees what only calls need, until it wakes or carries out a call. Local. Returns whether it may be deleted: it
  /// holds nothing, and a new one that resumes serves as well.
  virtual bool rest(Resources& /*resources*/) { return false; }
  /// It is new, and follows one that was deleted as it rested.
  virtual void resume() {}
  [[nodiscard]] virtual bool rests() const { return false; }
  /// Makes that again for `call`, which comes next. Local.
  virtual void wake(const Call& /*call*/, const Facts& /*facts*/, Resources& /*resources*/) {}
};

/// `way` outlives it.
std::unique_ptr<Carrier> carrier_for(const Way& way);

}  // namespace starling
