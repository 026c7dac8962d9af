#pragma once

#include "runtime/execution/running.hpp"

namespace starling {

/// Copies, or applications of the operator, one after the other. All are done, whatever fails.
int copy(const Running& run, const Step& step);
int combine(const Running& run, const Step& step);

}  // namespace starling
