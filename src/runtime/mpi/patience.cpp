#include "runtime/mpi/patience.hpp"

#include <mpi.h>
#include <sched.h>

#include <algorithm>
#include <ctime>

#include "runtime/mpi/features.hpp"
#include "runtime/mpi/loaded.hpp"
#include "runtime/mpi/pmpi.hpp"
#include "runtime/mpi/process.hpp"

namespace starling {
namespace {

/// Polls that take some ten microseconds: to give the processor away may take as long where others want it too.
constexpr int polls_of_own_processor = 500;
/// As many times more polls in which MPI makes progress, about a millisecond.
constexpr int as_many_with_progress = 10;
/// Further polls that give the processor away, before the rank sleeps between them.
constexpr int polls_awake = 20000;
/// Sleeps, which together take a tenth of a second.
constexpr int many_naps = 1000;

void pause_briefly() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

}  // namespace

Patience::Patience() : most_polls_(process().shares ? 0 : polls_of_own_processor) {}

bool Patience::wait() {
  if (++polls_ <= most_polls_) {
    pause_briefly();
    return false;
  }
  // For a message that nobody sends: where it finds one, MPI makes no progress. Number 0 belongs to no channel.
  int is_there = 0;
  pmpi.Iprobe(process().rank, 0, process().world, &is_there, MPI_STATUS_IGNORE);
  give_way();
  if (naps_ < many_naps) return false;
  naps_ = 0;
  return true;
}

void Patience::wait_in_mpi() {
  if (!process().shares) return;
  ++polls_;
  give_way();
}

void Patience::give_way() {
  const int most_with_progress = most_polls_ * (1 + as_many_with_progress);
  if (polls_ <= most_with_progress) return;
  if (polls_ <= most_with_progress + polls_awake) {
    sched_yield();
    return;
  }
  polls_ = most_with_progress + polls_awake;
  naps_ = std::min(naps_ + 1, many_naps);
  const timespec nap{.tv_sec = 0, .tv_nsec = 20000};
  nanosleep(&nap, nullptr);
}

int allreduce_patiently(const void* from, void* into, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
  if (!process().some_share) return pmpi.Allreduce(from, into, count, type, op, comm);
  MPI_Request request = handles.request_null;
  const int error = pmpi.Iallreduce(from, into, count, type, op, comm, &request);
  return error != MPI_SUCCESS ? error : pmpi.Wait(&request, MPI_STATUS_IGNORE);
}

#if STARLING_SIMULATED

// Each rank has a processor of its own there.
void wait_patiently() {}

#else

namespace {

/// Open MPI gives the processor away itself where its launcher told it of more ranks than slots, at less cost.
bool library_gives_way() {
  const void* const yields = mpi_symbol("ompi_mpi_yield_when_idle");
  return yields != nullptr && *static_cast<const bool*>(yields);
}

int wait_for(MPI_Request* request, MPI_Status* status) {
  Patience patience;
  int complete = 0;
  while (true) {
    if (const int error = pmpi.Test(request, &complete, status); error != MPI_SUCCESS || complete != 0) return error;
    patience.wait_in_mpi();
  }
}

int send(const void* from, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm) {
  MPI_Request request = handles.request_null;
  const int error = pmpi.Isend(from, count, type, to, tag, comm, &request);
  return error != MPI_SUCCESS ? error : wait_for(&request, MPI_STATUS_IGNORE);
}

/// For which another one stands.
decltype(pmpi.Recv) receive_of_library = nullptr;

/// Receives by the library's own call once the message is there: where that fails it tells the communicator's error
/// handler, and not another one's, as MPICH 4 does for requests.
int receive(void* into, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm, MPI_Status* status) {
  Patience patience;
  int is_there = 0;
  while (true) {
    if (const int error = pmpi.Iprobe(from, tag, comm, &is_there, MPI_STATUS_IGNORE); error != MPI_SUCCESS)
      return error;
    if (is_there != 0) return receive_of_library(into, count, type, from, tag, comm, status);
    patience.wait_in_mpi();
  }
}

/// What was sent is waited for whatever fails.
int exchange(const void* from, int sent, MPI_Datatype type_sent, int to, int tag_sent, void* into, int received,
             MPI_Datatype type_received, int of, int tag_received, MPI_Comm comm, MPI_Status* status) {
  MPI_Request request = handles.request_null;
  const int error_of_send = pmpi.Isend(from, sent, type_sent, to, tag_sent, comm, &request);
  const int error = receive(into, received, type_received, of, tag_received, comm, status);
  if (error_of_send != MPI_SUCCESS) return error_of_send;
  const int error_of_wait = wait_for(&request, MPI_STATUS_IGNORE);
  return error != MPI_SUCCESS ? error : error_of_wait;
}

}  // namespace

void wait_patiently() {
  if (!process().shares || library_gives_way()) return;
  receive_of_library = pmpi.Recv;
  pmpi.Wait = wait_for;
  pmpi.Send = send;
  pmpi.Recv = receive;
  pmpi.Sendrecv = exchange;
}

#endif

}  // namespace starling
