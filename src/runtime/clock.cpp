#include "runtime/clock.hpp"

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

}  // namespace

double Clock::seconds_per_tick_ = 0;

double Clock::wtime() {
  return pmpi.Wtime();
}

void Clock::calibrate() {
  constexpr double period = 1e-3;  // seconds; a reading's 50 ns are 1/10000 of it
  if (STARLING_SIMULATED || !counter_is_steady()) return;
  const double start = pmpi.Wtime();
  const std::uint64_t first = ticks();
  double end = start;
  while (end - start < period) end = pmpi.Wtime();
  const std::uint64_t last = ticks();
  if (last > first) seconds_per_tick_ = (end - start) / static_cast<double>(last - first);
}

}  // namespace starling
