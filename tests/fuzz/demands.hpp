#pragma once

#if __has_feature(address_sanitizer)
#include <sanitizer/allocator_interface.h>
#else
#include <malloc.h>
#endif

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <new>
#include <string>
#include <string_view>

#include "messages/told.hpp"

// Requirements for every reader, besides those of sanitizers: a refusal is one printable line, and reading takes 64 MB
// at most. The resident memory that libFuzzer can limit is mostly the sanitizers' own, so allocations are counted.
namespace starling::fuzzing {

inline constexpr std::int64_t most_bytes = std::int64_t{64} << 20;
/// Of a line: some values of `most_told` characters, and a list of what there is instead.
inline constexpr std::size_t longest_line = 2000;

[[noreturn]] inline void fail(const char* what, std::string_view about) {
  std::fprintf(stderr, "%s: %.*s\n", what, static_cast<int>(about.size()), about.data());
  std::abort();
}

inline void expect_line(const std::string& line) {
  if (line.empty()) fail("refused without a word", "");
  if (in_one_line(line) != line) fail("not one printable line", in_one_line(line));
  if (line.size() > longest_line) fail("too long a line", line);
}

inline void expect(bool holds, const char* what) {
  if (!holds) fail("does not hold", what);
}

inline std::int64_t live = 0;  ///< bytes that are allocated
inline std::int64_t limit = std::numeric_limits<std::int64_t>::max();

inline void allocated(const volatile void* /*at*/, std::size_t bytes) {
  live += static_cast<std::int64_t>(bytes);
  if (live <= limit) return;
  limit = std::numeric_limits<std::int64_t>::max();
  fail("more than 64 MB", "");
}

#if __has_feature(address_sanitizer)
inline void freed(const volatile void* at) {
  live -= static_cast<std::int64_t>(__sanitizer_get_allocated_size(at));
}

inline bool counts_allocations() {
  static const int hooks = __sanitizer_install_malloc_and_free_hooks(allocated, freed);
  return hooks != 0;
}
#else
inline bool counts_allocations() {
  return true;  // below
}
#endif

/// Reads the input as text, and bounds what that allocates.
template <typename Read>
int read_bounded(const std::uint8_t* data, std::size_t size, Read read) {
  expect(counts_allocations(), "allocations are counted");
  limit = live + most_bytes;
  read(std::string(reinterpret_cast<const char*>(data), size));
  limit = std::numeric_limits<std::int64_t>::max();
  return 0;
}

}  // namespace starling::fuzzing

#if !__has_feature(address_sanitizer)
// Each program has one source file, which has these.
void* operator new(std::size_t bytes) {
  void* const at = std::malloc(bytes);
  if (at == nullptr) throw std::bad_alloc();
  starling::fuzzing::allocated(at, malloc_usable_size(at));
  return at;
}
void operator delete(void* at) noexcept {
  starling::fuzzing::live -= static_cast<std::int64_t>(malloc_usable_size(at));
  std::free(at);
}
void operator delete(void* at, std::size_t /*bytes*/) noexcept {
  operator delete(at);
}
#endif
