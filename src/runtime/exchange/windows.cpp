#include "runtime/exchange/windows.hpp"

#include "runtime/mpi/pmpi.hpp"

namespace starling::neighborhood {
namespace {

int make_one(MPI_Comm comm, char* base, MPI_Aint bytes, MPI_Win& window, bool& there) {
  if (there) return MPI_SUCCESS;
  MPI_Info info{};
  if (const int error = pmpi.Info_create(&info); error != MPI_SUCCESS) return error;
  pmpi.Info_set(info, "no_locks", "true");
  const int error = pmpi.Win_create(base, bytes, 1, info, comm, &window);
  pmpi.Info_free(&info);
  there = error == MPI_SUCCESS;
  return there ? pmpi.Win_set_errhandler(window, handles.errors_return) : error;
}

void free_one(MPI_Win& window, bool& there) {
  if (there) pmpi.Win_free(&window);
  there = false;
}

}  // namespace

int Windows::make(MPI_Comm comm, const BlockMemory& memory, bool for_gets, bool one_buffer) {
  if (!for_gets || one_buffer) return make_one(comm, memory.receive_base, memory.receive_bytes, puts_, has_puts_);
  return make_one(comm, memory.send_base, memory.send_bytes, gets_, has_gets_);
}

void Windows::release() {
  free_one(puts_, has_puts_);
  free_one(gets_, has_gets_);
}

}  // namespace starling::neighborhood
