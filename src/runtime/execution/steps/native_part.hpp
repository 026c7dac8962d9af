#pragma once

#include "runtime/execution/running.hpp"

namespace starling {

/// The steps that are collectives of the MPI library on a group of ranks. More elements than an int counts are reduced
/// in pieces.
class NativeSteps {
 public:
  static int carry_out(const Running& run, const Step& step);
  /// Starts the nonblocking form, each piece in a request of its own, whatever fails.
  static int post(const Running& run, const Step& step);
};

}  // namespace starling
