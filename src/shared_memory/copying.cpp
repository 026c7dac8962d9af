#include "shared_memory/copying.hpp"

#include <cstring>

// The thread sanitizer sees no store that goes past caches.
#if defined(__x86_64__) && !defined(__SANITIZE_THREAD__)
#include <emmintrin.h>
#endif

namespace starling {

#if defined(__x86_64__) && !defined(__SANITIZE_THREAD__)
namespace {

/// With fewer bytes lines come from a near processor's cache in less time.
constexpr std::size_t least_bytes = 4096;

constexpr std::size_t line = 64;

/// Copies whole lines by `store`, and what is left behind them.
template <class Store>
void copy_lines(char* into, const char* from, std::size_t bytes, Store store) {
  const char* const end = from + (bytes - (bytes % line));
  for (; from != end; from += line, into += line) {
    const auto* const words = reinterpret_cast<const __m128i*>(from);
    auto* const there = reinterpret_cast<__m128i*>(into);
    const __m128i first = _mm_loadu_si128(words);
    const __m128i second = _mm_loadu_si128(words + 1);
    const __m128i third = _mm_loadu_si128(words + 2);
    const __m128i fourth = _mm_loadu_si128(words + 3);
    store(there, first);
    store(there + 1, second);
    store(there + 2, third);
    store(there + 3, fourth);
  }
  std::memcpy(into, from, bytes % line);
}

}  // namespace

void copy_for_others(char* into, const char* from, std::size_t bytes) {
  if (bytes < least_bytes) {
    std::memcpy(into, from, bytes);
    return;
  }
  copy_lines(into, from, bytes, [](__m128i* there, __m128i word) { _mm_stream_si128(there, word); });
  _mm_sfence();  // a store that tells of these must not overtake them
}

void copy_from_others(char* into, const char* from, std::size_t bytes) {
  if (bytes < least_bytes) {
    std::memcpy(into, from, bytes);
    return;
  }
  copy_lines(into, from, bytes, [](__m128i* there, __m128i word) { _mm_storeu_si128(there, word); });
}
#else
void copy_for_others(char* into, const char* from, std::size_t bytes) {
  std::memcpy(into, from, bytes);
}

void copy_from_others(char* into, const char* from, std::size_t bytes) {
  std::memcpy(into, from, bytes);
}
#endif

}  // namespace starling
