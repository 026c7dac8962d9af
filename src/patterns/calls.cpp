#include "patterns/calls.hpp"

#include "runtime/job/job.hpp"
#include "runtime/mpi/pmpi.hpp"

namespace starling::patterns {

namespace {

constexpr const char* no_mpi =
    "MPI is not initialised, or has ended, or is another one than this library is for; call MPI_Init first";

}  // namespace

bool has_mpi() {
  if (job().running) return true;
  int initialised = 0;
  int finalised = 0;
  if (pmpi.Comm_rank != nullptr) {
    pmpi.Initialized(&initialised);
    pmpi.Finalized(&finalised);
  }
  return initialised != 0 && finalised == 0;
}

void require_mpi() {
  if (!has_mpi()) throw Fault(Error::inactive, no_mpi);
}

std::string sentence_of(Error error, const Request* request) {
  switch (error) {
    case Error::state: return "a wait follows an init, and a start or init follows the end of the call before";
    case Error::timer: return "a start of a timer follows its stop, and a stop its start";
    case Error::argument: return "the time is negative or no number";
    case Error::inactive: return no_mpi;
    case Error::failed:
      if (request == nullptr) break;
      return "the function " + request->name_of(request->function()) + " of " + request->set().name() +
             " failed on rank " + std::to_string(request->data().topology->rank()) + " with error " +
             std::to_string(request->failure()) + "; it is left out from the next agreement of the ranks on";
    default: break;
  }
  return "";
}

}  // namespace starling::patterns
