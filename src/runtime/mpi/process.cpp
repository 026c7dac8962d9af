#include "runtime/mpi/process.hpp"

#include <numeric>

#include "runtime/mpi/pmpi.hpp"

namespace starling {

Process& process() {
  // Never destroyed: a program may call MPI_Finalize while its own statics are destroyed.
  static Process& only = *new Process;
  return only;
}

void end_job() {
  pmpi.Abort(handles.comm_world, 1);
  std::abort();
}

std::vector<int> ranks_in_world(MPI_Comm comm, int size) {
  std::vector<int> ranks(static_cast<std::size_t>(size));
  std::iota(ranks.begin(), ranks.end(), 0);
  std::vector<int> in_world(ranks.size());
  MPI_Group group{};
  MPI_Group world{};
  pmpi.Comm_group(comm, &group);
  pmpi.Comm_group(handles.comm_world, &world);
  pmpi.Group_translate_ranks(group, size, ranks.data(), world, in_world.data());
  pmpi.Group_free(&world);
  pmpi.Group_free(&group);
  return in_world;
}

}  // namespace starling
