#include "messages/told.hpp"

#include <algorithm>
#include <array>
#include <cstdint>

namespace starling {
namespace {

/// A character, and how many bytes of UTF-8 it is; a byte that begins none is `valid == false`.
struct Decoded {
  std::uint32_t character;
  std::size_t length;
  bool valid;
};

Decoded first_of(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const std::uint32_t lead = byte(0);
  const Decoded broken{lead, 1, false};
  if (lead < 0x80) return {lead, 1, true};
  const std::size_t length = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
  if (lead < 0xc2 || lead > 0xf4 || text.size() < length) return broken;
  std::uint32_t character = lead & (0x7fU >> length);
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xc0U) != 0x80U) return broken;
    character = character << 6U | (byte(i) & 0x3fU);
  }
  constexpr std::array<std::uint32_t, 5> least{0, 0, 0x80, 0x800, 0x10000};
  const bool surrogate = character >= 0xd800 && character <= 0xdfff;
  return character < least[length] || character > 0x10ffff || surrogate ? broken : Decoded{character, length, true};
}

struct Range {
  std::uint32_t first;
  std::uint32_t last;
};

/// Unicode's control, formatting, line-breaking and private characters, and those that are none.
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

/// The line, and no more than `most` characters of it.
std::string line_of(std::string_view text, std::size_t most) {
  constexpr std::string_view cut = "...";
  std::string line;
  std::size_t whole = 0;  // bytes of the line that still fit with the sign of a cut behind them
  std::size_t characters = 0;
  while (!text.empty()) {
    const Decoded next = first_of(text);
    std::string shown;
    if (next.valid && is_printable(next.character))
      shown = text.substr(0, next.length);
    else
      append_escape(shown, next.character);
    characters += next.valid && is_printable(next.character) ? 1 : shown.size();
    if (characters > most) return line.substr(0, whole).append(cut);
    line += shown;
    if (characters + cut.size() <= most) whole = line.size();
    text.remove_prefix(next.length);
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
