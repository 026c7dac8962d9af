#pragma once

#include <sanitizer/allocator_interface.h>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <string>
#include <string_view>

#include "messages/told.hpp"

// What every reader is held to, besides what sanitizers find: a refusal is one printable line, and reading takes 64 MB
// at most. The resident memory that libFuzzer can limit is mostly the sanitizers' own, so what is allocated is counted.
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

inline void freed(const volatile void* at) {
  live -= static_cast<std::int64_t>(__sanitizer_get_allocated_size(at));
}

/// Reads the input as text, and bounds what that allocates.
template <typename Read>
int read_bounded(const std::uint8_t* data, std::size_t size, Read read) {
  static const int hooks = __sanitizer_install_malloc_and_free_hooks(allocated, freed);
  expect(hooks != 0, "allocations are counted");
  limit = live + most_bytes;
  read(std::string(reinterpret_cast<const char*>(data), size));
  limit = std::numeric_limits<std::int64_t>::max();
  return 0;
}

}  // namespace starling::fuzzing
