#include "messages/told.hpp"

#include <algorithm>
#include <array>
#include <cstdint>

#include "messages/utf8.hpp"

namespace starling {
namespace {

struct Range {
  std::uint32_t first;
  std::uint32_t last;
};

/// Unicode's control, formatting, line-breaking and private characters, and noncharacters.
constexpr std::array<Range, 16> unprintable{{{0x0, 0x1f},
                                             {0x7f, 0x9f},
                                             {0xad, 0xad},
                                             {0x600, 0x605},
                                             {0x61c, 0x61c},
                                             {0x6dd, 0x6dd},
                                             {0x70f, 0x70f},
                                             {0x180e, 0x180e},
                                             {0x200b, 0x200f},
                                             {0x2028, 0x202e},
                                             {0x2060, 0x206f},
                                             {0xe000, 0xf8ff},
                                             {0xfdd0, 0xfdef},
                                             {0xfeff, 0xfeff},
                                             {0xfff0, 0xfffb},
                                             {0xe0000, 0x10ffff}}};

bool is_printable(std::uint32_t character) {
  return std::none_of(unprintable.begin(), unprintable.end(),
                      [&](const Range& range) { return character >= range.first && character <= range.last; });
}

void append_escape(std::string& line, std::uint32_t character) {
  switch (character) {
    case '\n': line += "\\n"; return;
    case '\r': line += "\\r"; return;
    case '\t': line += "\\t"; return;
    default: break;
  }
  const int digits = character <= 0xff ? 2 : character <= 0xffff ? 4 : 8;
  line += character <= 0xff ? "\\x" : character <= 0xffff ? "\\u" : "\\U";
  for (int digit = digits - 1; digit >= 0; --digit)
    line += "0123456789abcdef"[character >> static_cast<unsigned>(4 * digit) & 0xfU];
}

bool is_printable_ascii(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char one) { return one >= ' ' && one <= '~'; });
}

/// At most `most` characters of the line.
std::string line_of(std::string_view text, std::size_t most) {
  if (text.size() <= most && is_printable_ascii(text)) return std::string(text);
  constexpr std::string_view cut = "...";
  std::string line;
  std::size_t whole = 0;  // bytes of the line that still fit with "..." behind them
  std::size_t characters = 0;
  while (!text.empty()) {
    const Utf8 next = first_utf8(text);
    const bool is_shown = next.length > 0 && is_printable(next.code);
    std::string shown;
    if (is_shown)
      shown = text.substr(0, next.length);
    else
      append_escape(shown, next.length > 0 ? next.code : static_cast<unsigned char>(text.front()));
    characters += is_shown ? 1 : shown.size();
    if (characters > most) return line.substr(0, whole).append(cut);
    line += shown;
    if (characters + cut.size() <= most) whole = line.size();
    text.remove_prefix(std::max<std::size_t>(1, next.length));
  }
  return line;
}

}  // namespace

std::string in_one_line(std::string_view text) {
  return line_of(text, std::string_view::npos);
}

std::string told(std::string_view value) {
  return line_of(value, most_told);
}

}  // namespace starling
