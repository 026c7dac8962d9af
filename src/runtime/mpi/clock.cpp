#include "runtime/mpi/clock.hpp"

#include <ctime>
#include <limits>

#include "runtime/mpi/features.hpp"
#include "runtime/mpi/pmpi.hpp"

#if defined(__x86_64__)
#include <cpuid.h>
#endif

namespace starling {
namespace {

/// Whether the counter runs at a constant rate in all power states (x86-64: CPUID, advanced power management).
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

/// The counter and the system's clock, in seconds, at one moment. Both go on while the machine sleeps.
struct Reading {
  std::uint64_t ticks = 0;
  double seconds = 0;

  /// The best of a few tries: this rank may lose its processor between reading the two. Zero seconds where the system
  /// refuses that clock, as a sandbox may.
  static Reading now() {
    Reading best;
    std::uint64_t closest = std::numeric_limits<std::uint64_t>::max();
    for (int i = 0; i < 3; ++i) {
      timespec time{};
      const std::uint64_t before = Clock::ticks();
      if (clock_gettime(CLOCK_BOOTTIME, &time) != 0) time = {};
      const std::uint64_t between = Clock::ticks() - before;
      if (between >= closest) continue;
      closest = between;
      best = {before + (between / 2), static_cast<double>(time.tv_sec) + (1e-9 * static_cast<double>(time.tv_nsec))};
    }
    return best;
  }
};

const Reading when_loaded = Reading::now();

}  // namespace

double Clock::seconds_per_tick_ = 0;

double Clock::wtime() {
  return pmpi.Wtime();
}

void Clock::calibrate() {
  if (STARLING_SIMULATED || !counter_is_steady()) return;
  constexpr double least = 1e-3;  // seconds, which MPI_Init takes anyway; a reading's 50 ns are 1/20000 of it
  // Another library's constructor may call MPI_Init before this library's constructors run.
  const Reading begin = when_loaded.ticks != 0 ? when_loaded : Reading::now();
  Reading now = Reading::now();
  // A clock that someone replaced may stand, go back or leap: then the counter's rate is not known.
  for (int left = 100'000; left > 0 && now.seconds - begin.seconds < least; --left) now = Reading::now();
  if (now.seconds - begin.seconds < least || now.ticks <= begin.ticks) return;
  const double rate = (now.seconds - begin.seconds) / static_cast<double>(now.ticks - begin.ticks);
  constexpr double of_a_fast_counter = 1e-11;
  constexpr double of_a_slow_one = 1e-6;
  if (rate > of_a_fast_counter && rate < of_a_slow_one) seconds_per_tick_ = rate;
}

}  // namespace starling
