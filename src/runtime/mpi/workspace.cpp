#include "runtime/mpi/workspace.hpp"

#include <cstdlib>

#include "runtime/mpi/of_thread.hpp"

namespace starling {
namespace {

/// Memory up to this size is kept for the next call.
constexpr std::size_t kept_bytes = std::size_t{64} << 20;
constexpr std::size_t alignment = 64;

}  // namespace

Workspace& Workspace::mine() {
  return of_thread<Workspace>();
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
