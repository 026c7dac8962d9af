#pragma once

#include <concepts>

#include "runtime/execution/steps/local_work.hpp"
#include "runtime/execution/steps/messages.hpp"
#include "runtime/execution/steps/native_part.hpp"
#include "runtime/execution/steps/sharing.hpp"

namespace starling {

/// What the executor of each kind of step provides; a file of its own, included above.
template <class Kind>
concept HasExecutor = requires(const Running& run, const Program& program, const Step& step) {
  /// Does a step, and waits until it is over. Returns an MPI error code.
  { StepExecutor<Kind>::carry_out(run, step) } -> std::same_as<int>;
  /// As `begin` and `requests_in` of runtime/execution/executor.hpp.
  { StepExecutor<Kind>::begin(run, step) } -> std::same_as<int>;
  { StepExecutor<Kind>::requests(program, step) } -> std::same_as<int>;
};

}  // namespace starling
