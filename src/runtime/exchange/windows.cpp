#include "runtime/exchange/windows.hpp"

#include <cstdint>

#include "runtime/mpi/pmpi.hpp"

namespace starling::neighborhood {
namespace {

int make_some(MPI_Comm comm, char* buffer, MPI_Aint bytes, int count, std::vector<MPI_Win>& windows) {
  if (static_cast<int>(windows.size()) >= count) return MPI_SUCCESS;
  MPI_Info info{};
  if (const int error = pmpi.Info_create(&info); error != MPI_SUCCESS) return error;
  pmpi.Info_set(info, "no_locks", "true");
  const MPI_Aint before = into_window(buffer);
  int error = MPI_SUCCESS;
  while (error == MPI_SUCCESS && static_cast<int>(windows.size()) < count) {
    MPI_Win window{};
    error = pmpi.Win_create(buffer - before, before + bytes, 1, info, comm, &window);
    if (error != MPI_SUCCESS) break;
    windows.push_back(window);
    error = pmpi.Win_set_errhandler(window, handles.errors_return);
  }
  pmpi.Info_free(&info);
  return error;
}

void free_all(std::vector<MPI_Win>& windows) {
  for (MPI_Win& window : windows) pmpi.Win_free(&window);
  windows.clear();
}

}  // namespace

MPI_Aint into_window(const void* buffer) {
  constexpr std::uintptr_t line = 64;
  return static_cast<MPI_Aint>(reinterpret_cast<std::uintptr_t>(buffer) % line);
}

int Windows::make(MPI_Comm comm, const BlockMemory& memory, bool for_gets, bool one_buffer, int count) {
  if (!for_gets || one_buffer) return make_some(comm, memory.receive_base, memory.receive_bytes, count, puts_);
  return make_some(comm, memory.send_base, memory.send_bytes, count, gets_);
}

void Windows::release() {
  free_all(puts_);
  free_all(gets_);
}

}  // namespace starling::neighborhood
