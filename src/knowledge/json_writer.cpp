#include "knowledge/json_writer.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include "messages/utf8.hpp"

namespace starling {

std::string json_number(double value) {
  if (!std::isfinite(value)) return "null";
  std::array<char, 32> digits{};
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), value).ptr;
  return {digits.data(), end};
}

void JsonWriter::new_line() {
  if (depth_ > lines_) return;
  written_.push_back('\n');
  written_.append(2 * static_cast<std::size_t>(depth_), ' ');
}

/// Writes the separator before a value or a key.
void JsonWriter::separate() {
  if (after_key_) {
    after_key_ = false;
    return;
  }
  if (closing_.empty()) return;
  if (!is_empty_) written_.append(depth_ > lines_ && lines_ > 0 ? ", " : ",");
  is_empty_ = false;
  new_line();
}

void JsonWriter::open(char bracket) {
  separate();
  written_.push_back(bracket);
  closing_.push_back(bracket == '{' ? '}' : ']');
  ++depth_;
  is_empty_ = true;
}

void JsonWriter::close() {
  const char bracket = closing_.back();
  const bool was_here = depth_ > lines_;
  closing_.pop_back();
  --depth_;
  if (!is_empty_ && !was_here) new_line();
  written_.push_back(bracket);
  is_empty_ = false;
}

void JsonWriter::key(std::string_view key) {
  separate();
  quote(key);
  written_.append(lines_ > 0 ? ": " : ":");
  after_key_ = true;
}

void JsonWriter::quote(std::string_view text) {
  constexpr std::string_view hexadecimal = "0123456789abcdef";
  constexpr std::string_view short_forms = "\b\f\n\r\t\"\\";
  constexpr std::string_view letters = "bfnrt\"\\";
  written_.push_back('"');
  while (!text.empty()) {
    const auto special = std::find_if(text.begin(), text.end(), [](char c) {
      const auto byte = static_cast<unsigned char>(c);
      return byte < ' ' || byte >= 0x80 || c == '"' || c == '\\';
    });
    written_.append(text.begin(), special);
    text.remove_prefix(static_cast<std::size_t>(special - text.begin()));
    if (text.empty()) break;
    std::size_t length = 1;
    if (const std::size_t which = short_forms.find(text.front()); which != std::string_view::npos) {
      written_.append({'\\', letters[which]});
    } else if (const auto byte = static_cast<unsigned char>(text.front()); byte < ' ') {
      written_.append("\\u00").append({hexadecimal[byte >> 4U], hexadecimal[byte & 0xFU]});
    } else if (const std::size_t whole = first_utf8(text).length; whole > 0) {
      length = whole;
      written_.append(text.substr(0, whole));
    } else {
      append_utf8(written_, 0xFFFD);
    }
    text.remove_prefix(length);
  }
  written_.push_back('"');
}

void JsonWriter::text(std::string_view text) {
  separate();
  quote(text);
}

void JsonWriter::number(double value) {
  word(json_number(value));
}

void JsonWriter::count(std::int64_t value) {
  word(std::to_string(value));
}

void JsonWriter::word(std::string_view json) {
  separate();
  written_.append(json);
}

}  // namespace starling
