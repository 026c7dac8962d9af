#pragma once

#include <cstdint>

#if defined(__x86_64__)
#include <x86intrin.h>
#endif

namespace starling {

/// Time for measuring calls: MPI_Wtime's seconds, read from the processor's time stamp counter where that runs at one
/// rate. MPI_Wtime costs 25 to 45 ns a reading, too much of the 100 ns that a call may cost. On a simulated network the
/// processor knows nothing of the time that passes: there it is MPI_Wtime always.
class Clock {
 public:
  /// Finds out whether the counter can be used and how fast it has run since this library was loaded.
  static void calibrate();

  /// Seconds since some moment in the past; only differences mean anything, and only on one rank.
  static double now() { return seconds_per_tick_ > 0 ? static_cast<double>(ticks()) * seconds_per_tick_ : wtime(); }

  /// The counter itself.
  static std::uint64_t ticks() {
#if defined(__x86_64__)
    return __rdtsc();
#elif defined(__aarch64__)
    std::uint64_t count = 0;
    asm volatile("mrs %0, cntvct_el0" : "=r"(count));
    return count;
#endif
  }

 private:
  static double wtime();

  static double seconds_per_tick_;  ///< 0: the counter can't be used
};

}  // namespace starling
