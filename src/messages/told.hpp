#pragma once

#include <string>
#include <string_view>

namespace starling {

/// Characters of a value from outside that a message tells at most.
inline constexpr std::size_t most_told = 200;

/// A text as one line that any terminal can show: escapes stand for what is not printable, `\n` for a line break,
/// `\x1b` for the byte that begins a terminal's commands, `\u202e` for what turns the direction of writing. Printable
/// UTF-8 stays as it is.
std::string in_one_line(std::string_view text);

/// A value from outside (a variable, a file's name or contents, a host's name) as messages tell it: in one line, and
/// cut after `most_told` characters, with `...` in place of the rest.
std::string told(std::string_view value);

}  // namespace starling
