#include "messages/utf8.hpp"

#include <array>

namespace starling {
namespace {

/// The encoding of characters in `length` bytes; `mask` and `mark` identify the first byte.
struct Form {
  unsigned char mask;
  unsigned char mark;
  std::size_t length;
  char32_t smallest;
};
constexpr std::array<Form, 4> forms{
    {{0x80, 0x00, 1, 0}, {0xE0, 0xC0, 2, 0x80}, {0xF0, 0xE0, 3, 0x800}, {0xF8, 0xF0, 4, 0x10000}}};
constexpr char32_t largest = 0x10FFFF;

bool is_surrogate(char32_t code) {
  return code >= 0xD800 && code < 0xE000;
}

}  // namespace

Utf8 first_utf8(std::string_view text) {
  if (text.empty()) return {};
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  for (const Form& form : forms) {
    if ((byte(0) & form.mask) != form.mark) continue;
    if (text.size() < form.length) return {};
    char32_t code = byte(0) & static_cast<unsigned char>(~form.mask);
    for (std::size_t i = 1; i < form.length; ++i) {
      if ((byte(i) & 0xC0U) != 0x80U) return {};
      code = (code << 6U) | (byte(i) & 0x3FU);
    }
    if (code < form.smallest || code > largest || is_surrogate(code)) return {};
    return {code, form.length};
  }
  return {};
}

bool is_utf8(std::string_view text) {
  while (!text.empty()) {
    const std::size_t length = first_utf8(text).length;
    if (length == 0) return false;
    text.remove_prefix(length);
  }
  return true;
}

void append_utf8(std::string& text, char32_t code) {
  for (std::size_t which = forms.size(); which-- > 0;) {
    const Form& form = forms[which];
    if (code < form.smallest) continue;
    const auto part = [&](std::size_t i) { return static_cast<unsigned>(code >> (6 * (form.length - 1 - i))); };
    text.push_back(static_cast<char>(form.mark | part(0)));
    for (std::size_t i = 1; i < form.length; ++i) text.push_back(static_cast<char>(0x80U | (part(i) & 0x3FU)));
    return;
  }
}

}  // namespace starling
