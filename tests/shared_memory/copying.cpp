#include "shared_memory/copying.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <string>
#include <vector>

namespace starling {
namespace {

using Copy = void (*)(char*, const char*, std::size_t);

/// Copies so many bytes from `gap` bytes behind an aligned address to an aligned one; whether these and no others
/// changed.
bool copies(Copy copy, std::size_t bytes, std::size_t gap) {
  constexpr std::size_t around = 64;
  constexpr char untouched = '-';
  std::string from(gap + bytes, ' ');
  for (std::size_t i = 0; i < from.size(); ++i) from[i] = static_cast<char>('a' + (i % 23));
  struct alignas(around) Line {
    char bytes[around];
  };
  std::vector<Line> memory((bytes / around) + 3);
  char* const all = memory.front().bytes;
  std::string expected(memory.size() * around, untouched);
  expected.copy(all, expected.size());
  expected.replace(around, bytes, from, gap, bytes);
  copy(all + around, from.data() + gap, bytes);
  return std::string(all, expected.size()) == expected;
}

TEST(Copying, CopiesAnyNumberOfBytesFromAnyAddressAndNoMore) {
  for (const std::size_t bytes : {0, 1, 63, 64, 65, 1000, 4095, 4096, 4097, 4159, 4160, 16383, 16384})
    for (const std::size_t gap : {0, 1, 8, 17}) {
      EXPECT_TRUE(copies(copy_for_others, bytes, gap)) << bytes << " from " << gap;
      EXPECT_TRUE(copies(copy_from_others, bytes, gap)) << bytes << " from " << gap;
    }
}

}  // namespace
}  // namespace starling
