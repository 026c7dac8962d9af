#pragma once

#include "runtime/execution/running.hpp"

namespace starling {

/// The steps that are collectives of the MPI library on a group of ranks. More elements than an int counts are reduced
/// in pieces.
template <>
class StepExecutor<SubCollective> {
 public:
  static int carry_out(const Running& run, const Step& step);
  /// Starts the nonblocking form, each piece in a request of its own, whatever fails.
  static int begin(const Running& run, const Step& step);
  static int requests(const Program& program, const Step& step);
};

}  // namespace starling
