#pragma once

#include <utility>

#include "runtime/mpi/features.hpp"

namespace starling {

/// The T of this thread, made at its first use. Only a pointer is thread-local: the storage that threads have for
/// libraries opened at run time is a few hundred bytes.
///
/// MPI may be called after the thread's objects are destroyed, by atexit or a static's destructor. A new T is then
/// made, and never freed.
template <class T>
T& of_thread() {
  STARLING_OF_THREAD T* mine = nullptr;
  if (mine == nullptr) {
    STARLING_OF_THREAD const struct Owner {
      ~Owner() { delete std::exchange(mine, nullptr); }
    } owner;
    static_cast<void>(owner);
    mine = new T{};
  }
  return *mine;
}

}  // namespace starling
