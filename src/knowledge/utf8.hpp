#pragma once

#include <string>
#include <string_view>

namespace starling {

/// The length in bytes of the character of UTF-8 (RFC 3629) that `text` begins with; 0 where it begins with none.
std::size_t utf8_length(std::string_view text);

bool is_utf8(std::string_view text);

/// Appends a character, which is no surrogate.
void append_utf8(std::string& text, char32_t code);

}  // namespace starling
