#pragma once

#include "schedule/collective.hpp"

namespace starling {

/// What the MPI library refuses, of the calls of one collective that it might as well carry out. Libraries differ in
/// it, and most can be told to check nothing. A call that it refuses on this rank must pass through to it, and one that
/// it carries out must not: the other ranks go on without this one, or wait for it.
struct Checks {
  int aliases_from = 0;        ///< the smallest element count at which it refuses aliased buffers; 0: it accepts all
  bool unused_result = false;  ///< a receive buffer that is null although rank 0 gets no result (exscan)
  // Where a side has no elements:
  bool no_type_to_send = false;         ///< MPI_DATATYPE_NULL there
  bool no_type_to_receive = false;      ///< the same of the receive side
  bool uncommitted_to_send = false;     ///< a type there that is not committed
  bool uncommitted_to_receive = false;  ///< the same of the receive side
  bool misplaced = false;               ///< MPI_IN_PLACE where MPI does not allow it
};

/// Finds it out, by calls on a communicator of this rank only. Only in MPI_Init: some libraries invoke the error
/// handler of MPI_COMM_WORLD, and the application has not set its own yet.
void probe_checks();

const Checks& checks_of(Collective collective);

}  // namespace starling
