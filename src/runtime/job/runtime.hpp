#pragma once

#include <mpi.h>

#include <optional>

#include "runtime/call/call.hpp"

namespace starling {

/// Called on every rank before MPI_Init or MPI_Init_thread.
void before_init();

/// Called on every rank after MPI_Init or MPI_Init_thread: reads the settings, agrees on them with the other ranks and
/// sets up Starling. Never fails: what can't be used is reported on stderr and left out.
void after_init();

/// Called on every rank before MPI_Finalize: gathers and writes the run record, frees everything.
void before_finalize();

/// Stands around the call of the MPI library that frees a communicator of the application. At its end `*comm` is null
/// unless that failed.
class Freeing {
 public:
  explicit Freeing(const MPI_Comm* comm);
  ~Freeing();
  Freeing(const Freeing&) = delete;
  Freeing& operator=(const Freeing&) = delete;
  Freeing(Freeing&&) = delete;
  Freeing& operator=(Freeing&&) = delete;

  /// If MPI refuses the handle, it has called the error handler: what it returned then is what the program gets.
  [[nodiscard]] std::optional<int> refused() const { return refused_; }

 private:
  const MPI_Comm* handle_ = nullptr;
  MPI_Comm comm_{};
  std::optional<int> refused_;
};

/// Counts a call that passes through unchanged: one of `operation_names` (generated from the prototypes) on `comm`.
/// Returns what `Freeing::refused` does.
std::optional<int> count(int operation, MPI_Comm comm);

}  // namespace starling
