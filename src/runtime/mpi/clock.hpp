#pragma once

#include <cstdint>

#if defined(__x86_64__)
#include <x86intrin.h>
#endif

namespace starling {

/// Time for measuring calls: seconds from the processor's time stamp counter if its rate is constant, else from
/// MPI_Wtime. MPI_Wtime costs 25 to 45 ns a reading, too much of the 100 ns that a call may cost. On a simulated
/// network it is always MPI_Wtime: the counter does not run with simulated time.
class Clock {
 public:
  /// Finds out whether the counter can be used, and its rate since this library was loaded.
  static void calibrate();

  /// Seconds since some moment in the past; only differences on one rank have a meaning.
  static double now() {
    // Signed numbers become floating ones in one instruction; the counter takes a century to its sign.
    return seconds_per_tick_ > 0 ? static_cast<double>(static_cast<std::int64_t>(ticks())) * seconds_per_tick_
                                 : wtime();
  }

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
