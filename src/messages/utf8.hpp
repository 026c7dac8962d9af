#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace starling {

/// A character, and how many bytes of UTF-8 (RFC 3629) it is.
struct Utf8 {
  char32_t code = 0;
  std::size_t length = 0;
};

/// The character that `text` begins with; of length 0 where it begins with none.
Utf8 first_utf8(std::string_view text);

bool is_utf8(std::string_view text);

/// Appends a character, which is no surrogate.
void append_utf8(std::string& text, char32_t code);

}  // namespace starling
