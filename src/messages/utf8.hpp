#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace starling {

/// A character, and its length in bytes of UTF-8 (RFC 3629).
struct Utf8 {
  char32_t code = 0;
  std::size_t length = 0;
};

/// The first character of `text`; of length 0 if `text` does not begin with a valid one.
Utf8 first_utf8(std::string_view text);

bool is_utf8(std::string_view text);

/// Appends a character, which must not be a surrogate.
void append_utf8(std::string& text, char32_t code);

}  // namespace starling
