#include "runtime/mpi/workspace.hpp"

#include <cstdlib>
#include <utility>

#include "runtime/mpi/features.hpp"

namespace starling {
namespace {

/// Memory up to this size is kept for the next call.
constexpr std::size_t kept_bytes = std::size_t{64} << 20;
constexpr std::size_t alignment = 64;

}  // namespace

Workspace& Workspace::mine() {
  // MPI may be called after the thread's objects are destroyed, by atexit or a static's destructor. A new workspace is
  // then created, and never freed.
  STARLING_OF_THREAD Workspace* workspace = nullptr;
  STARLING_OF_THREAD const struct Owner {
    ~Owner() { delete std::exchange(workspace, nullptr); }
  } owner;
  static_cast<void>(owner);
  if (workspace == nullptr) workspace = new Workspace;
  return *workspace;
}

char* Workspace::take(std::size_t bytes) {
  if (bytes <= size_) return memory_;
  std::free(memory_);
  // Half as much again, so that slowly growing messages do not allocate each time.
  const std::size_t wanted = bytes < kept_bytes ? bytes + (bytes / 2) : bytes;
  size_ = (wanted + alignment - 1) / alignment * alignment;
  memory_ = static_cast<char*>(std::aligned_alloc(alignment, size_));
  if (memory_ == nullptr) size_ = 0;
  return memory_;
}

bool Workspace::requests(int count) {
  if (count <= request_count_) return true;
  std::free(requests_);
  requests_ = static_cast<MPI_Request*>(std::malloc(static_cast<std::size_t>(count) * sizeof(MPI_Request)));
  request_count_ = requests_ == nullptr ? 0 : count;
  return requests_ != nullptr;
}

void Workspace::done() {
  if (size_ <= kept_bytes) return;
  std::free(memory_);
  memory_ = nullptr;
  size_ = 0;
}

Workspace::~Workspace() {
  std::free(memory_);
  std::free(requests_);
}

}  // namespace starling
