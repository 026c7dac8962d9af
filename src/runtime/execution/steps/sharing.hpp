#pragma once

#include "runtime/execution/running.hpp"

namespace starling {

/// The steps in memory that ranks of a node share. Data goes in pieces of a chunk: publications in their order and, at
/// the same time, takes in theirs.
class SharingSteps {
 public:
  static int carry_out(const Running& run, const Step& step);
};

}  // namespace starling
