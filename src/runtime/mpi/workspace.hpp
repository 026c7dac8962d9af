#pragma once

#include <mpi.h>

#include <cstddef>

namespace starling {

/// Memory for one running call: scratch buffers, staged data, requests. One for each thread, kept between calls so that
/// the steady state allocates nothing; large memory is freed.
class Workspace {
 public:
  /// The workspace of the calling thread.
  static Workspace& mine();

  /// At least `bytes` bytes, aligned for any type; invalidates what was taken before. nullptr if there is no memory.
  char* take(std::size_t bytes);
  /// Makes room for `count` requests; invalidates what was taken before. False if there is no memory.
  bool requests(int count);
  [[nodiscard]] MPI_Request* requests() const { return requests_; }
  /// Called after each call: keeps the memory unless it is large.
  void done();

  Workspace() = default;
  ~Workspace();
  Workspace(const Workspace&) = delete;
  Workspace& operator=(const Workspace&) = delete;
  Workspace(Workspace&&) = delete;
  Workspace& operator=(Workspace&&) = delete;

 private:
  char* memory_ = nullptr;
  std::size_t size_ = 0;
  MPI_Request* requests_ = nullptr;
  int request_count_ = 0;
};

}  // namespace starling
