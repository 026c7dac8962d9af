#pragma once

#include "runtime/execution/running.hpp"

namespace starling {

/// The steps in memory that ranks of a node share. Data goes in pieces of a chunk: publications in their order and, at
/// the same time, takes in theirs. Large data stays in the publisher's buffer, where ranks may read each other's, and
/// readers copy it from there; the publisher's step then lasts until they have, and it copies along where it only
/// waits.
template <>
class StepExecutor<Sharing> {
 public:
  static int carry_out(const Running& run, const Step& step);
  /// None: only blocking calls share memory.
  static int begin(const Running& /*run*/, const Step& /*step*/) { return MPI_ERR_INTERN; }
  static int requests(const Program& /*program*/, const Step& /*step*/) { return 0; }
};

}  // namespace starling
