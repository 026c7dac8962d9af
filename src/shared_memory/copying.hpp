#pragma once

#include <cstddef>

namespace starling {

/// Copies into memory that another processor reads next; `into` is aligned to 16. Many bytes go past this processor's
/// caches: to fetch a line that another processor has changed takes that one longer than to read memory ahead, two to
/// eight times on processors that share no cache (bench/single_copy.cpp).
void copy_for_others(char* into, const char* from, std::size_t bytes);

/// Copies from memory that another processor has written. Many bytes go by loads, which processors see coming: what
/// memcpy uses for that many, `rep movsb`, reads memory at half the speed.
void copy_from_others(char* into, const char* from, std::size_t bytes);

}  // namespace starling
