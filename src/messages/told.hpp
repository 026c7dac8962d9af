#pragma once

#include <string>
#include <string_view>

namespace starling {

/// The most characters of a value from outside that a message shows.
inline constexpr std::size_t most_told = 200;

/// A text as one line that any terminal can show. Unprintable characters are escaped: a line break as `\n`, the byte
/// that begins a terminal's commands as `\x1b`, the character that reverses the writing direction as `\u202e`.
/// Printable UTF-8 is unchanged.
std::string in_one_line(std::string_view text);

/// A value from outside (a variable, a file's name or contents, a host's name) for use in a message: in one line, cut
/// after `most_told` characters, with `...` for the rest.
std::string told(std::string_view value);

}  // namespace starling
