#pragma once

#include <stdexcept>
#include <string>

namespace starling::patterns {

/// What can be wrong with a call of the interface. Each has a row in fault.cpp.
enum class Error {
  none,
  argument,
  handle,
  dimensions,
  extents,
  halo,
  values,
  datatype,
  data,
  communicator,
  topology,
  attribute,
  attribute_set,
  function,
  work,
  function_set,
  vector,
  direction,
  map,
  op,
  request,
  timer,
  state,
  strategy,
  failed,
  mpi,
  memory,
  undecided,
  inactive
};

/// The code of starling_* functions, and of ADCL_* functions.
[[nodiscard]] int native_code(Error error);
[[nodiscard]] int adcl_code(Error error);
/// What a code of starling_* functions means, a sentence without a full stop.
[[nodiscard]] const char* text_of_code(int code);

/// Says what is wrong with a call, and what to do. Thrown by constructors, caught where the program called.
struct Fault : std::runtime_error {
  Fault(Error what_kind, const std::string& sentence) : std::runtime_error(sentence), error(what_kind) {}
  Error error;
};

}  // namespace starling::patterns
