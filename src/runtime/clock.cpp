#include "runtime/clock.hpp"

#include <chrono>

#include "runtime/features.hpp"
#include "runtime/pmpi.hpp"

#if defined(__x86_64__)
#include <cpuid.h>
#endif

namespace starling {
namespace {

/// Whether the counter runs at one rate whatever the processor does (on x86-64: CPUID, advanced power management).
bool counter_is_steady() {
#if defined(__x86_64__)
  unsigned a = 0;
  unsigned b = 0;
  unsigned c = 0;
  unsigned d = 0;
  constexpr unsigned invariant_tsc = 1U << 8U;
  return __get_cpuid(0x80000007, &a, &b, &c, &d) != 0 && (d & invariant_tsc) != 0;
#else
  return true;
#endif
}

/// The counter and the system's clock, in seconds, at one moment.
struct Reading {
  std::uint64_t ticks;
  double seconds;
  static Reading now() {
    return {Clock::ticks(), std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count()};
  }
};

const Reading loaded = Reading::now();

}  // namespace

double Clock::seconds_per_tick_ = 0;

double Clock::wtime() {
  return pmpi.Wtime();
}

void Clock::calibrate() {
  if (STARLING_SIMULATED || !counter_is_steady()) return;
  constexpr double least = 1e-3;  // seconds, which MPI_Init takes anyway; a reading's 50 ns are 1/20000 of it
  Reading now = Reading::now();
  while (now.seconds - loaded.seconds < least) now = Reading::now();
  if (now.ticks > loaded.ticks)
    seconds_per_tick_ = (now.seconds - loaded.seconds) / static_cast<double>(now.ticks - loaded.ticks);
}

}  // namespace starling
