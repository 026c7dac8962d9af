#pragma once

#include <optional>

#include "runtime/call/call.hpp"

namespace starling {

/// The call of this rank with a type, and a buffer, where a side without elements has MPI_DATATYPE_NULL or a type that
/// is not committed, or a misplaced MPI_IN_PLACE, and the MPI library does not care (checks.hpp). It is then like the
/// call of any other rank. Nothing where there is nothing of the kind. Only on an intracommunicator.
std::optional<Call> with_all_arguments(const Call& call, int ranks, int rank);

}  // namespace starling
