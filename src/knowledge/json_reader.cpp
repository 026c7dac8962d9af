#include "knowledge/json_reader.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <system_error>

#include "messages/number.hpp"
#include "messages/utf8.hpp"

namespace starling {
namespace {

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

/// The length of the number at the start of `text`, 0 for none.
std::size_t number_length(std::string_view text) {
  std::size_t at = 0;
  const auto here = [&](char c) { return at < text.size() && text[at] == c; };
  const auto digits = [&] {
    const std::size_t first = at;
    while (at < text.size() && is_digit(text[at])) ++at;
    return at > first;
  };
  if (here('-')) ++at;
  if (here('0')) {
    ++at;
  } else if (!digits()) {
    return 0;
  }
  if (here('.')) {
    ++at;
    if (!digits()) return 0;
  }
  if (here('e') || here('E')) {
    ++at;
    if (here('+') || here('-')) ++at;
    if (!digits()) return 0;
  }
  return at;
}

/// The ASCII characters that need no escape in a string.
constexpr std::array<bool, 256> plain = [] {
  std::array<bool, 256> is_plain{};
  for (std::size_t c = ' '; c < 0x80; ++c) is_plain[c] = c != '"' && c != '\\';
  return is_plain;
}();

/// What opens or closes an object or a text.
constexpr std::array<bool, 256> bracket = [] {
  std::array<bool, 256> is_bracket{};
  for (const unsigned char c : {'{', '}', '"'}) is_bracket[c] = true;
  return is_bracket;
}();

bool is_plain(char c) {
  return plain[static_cast<unsigned char>(c)];
}

}  // namespace

void JsonReader::another_value(const std::string& wanted) const {
  JsonReader(*this).skip();  // throws if the text is not JSON
  of_another_kind("it has another value where " + wanted + " must be");
}

std::int64_t JsonReader::line() const {
  return 1 + std::count(text_.begin(), text_.begin() + static_cast<std::ptrdiff_t>(at_), '\n');
}

void JsonReader::of_another_kind(const std::string& why) const {
  throw JsonError(std::string("it is no ").append(kind_).append(": ").append(why));
}

void JsonReader::missing(std::string_view name) const {
  of_another_kind(std::string("it has no '").append(name).append("'"));
}

void JsonReader::too_much() const {
  throw JsonError(std::string("it holds more than a ").append(kind_).append(" can"));
}

void JsonReader::broken() {
  throw JsonError("it is cut short, or no JSON");
}

void JsonReader::expect(char wanted) {
  if (next() != wanted) broken();
  ++at_;
}

void JsonReader::expect_word(std::string_view word) {
  if (text_.substr(at_, word.size()) != word) broken();
  at_ += word.size();
}

/// Whether the object or array that opens here has any content.
bool JsonReader::begins(char open, char close, const char* what) {
  if (next() != open) another_value(what);
  ++at_;
  constexpr int deepest = 16;  // the reader recurses
  if (++depth_ > deepest) throw JsonError(std::string("it is nested too deeply for a ").append(kind_));
  if (next() != close) return true;
  ++at_;
  --depth_;
  return false;
}

bool JsonReader::goes_on(char close) {
  const char c = next();
  ++at_;
  if (c == ',') return true;
  if (c != close) broken();
  --depth_;
  return false;
}

char32_t JsonReader::hexadecimal() {
  constexpr std::size_t digits = 4;
  const std::string_view word = text_.substr(at_, digits);
  std::uint16_t code = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), code, 16);
  if (word.size() < digits || error != std::errc() || end != word.data() + word.size()) broken();
  at_ += digits;
  return code;
}

/// Reads an escape sequence after its backslash.
void JsonReader::unescape(std::string& into) {
  constexpr std::string_view escaped = "\"\\/bfnrt";
  constexpr std::string_view meant = "\"\\/\b\f\n\r\t";
  if (at_ == text_.size()) broken();
  const char c = text_[at_++];
  if (const std::size_t which = escaped.find(c); which != std::string_view::npos) {
    into.push_back(meant[which]);
    return;
  }
  if (c != 'u') broken();
  constexpr char32_t high = 0xD800;
  constexpr char32_t low = 0xDC00;
  constexpr char32_t none = 0xE000;
  char32_t code = hexadecimal();
  if (code >= high && code < low) {
    expect_word("\\u");
    const char32_t second = hexadecimal();
    if (second < low || second >= none) broken();
    code = 0x10000 + ((code - high) << 10U) + (second - low);
  } else if (code >= low && code < none) {
    broken();
  }
  append_utf8(into, code);
}

/// The rest of a string whose first quote was read. `unescaped` holds it if it has escapes. `likely` is compared first.
std::string_view JsonReader::string(std::string& unescaped, std::string_view likely) {
  const std::size_t first = at_;
  if (const std::size_t end = first + likely.size();
      !likely.empty() && end < text_.size() && text_[end] == '"' && text_.substr(first, likely.size()) == likely) {
    at_ = end + 1;
    return likely;
  }
  bool is_copied = false;
  bool is_ascii = true;
  for (std::size_t from = first;; ++at_) {
    std::size_t at = at_;
    while (at < text_.size() && is_plain(text_[at])) ++at;
    at_ = at;
    if (at_ == text_.size()) broken();
    const char c = text_[at_];
    if (c == '"' || c == '\\') {
      const std::string_view piece = text_.substr(from, at_ - from);
      if (!is_ascii && !is_utf8(piece)) throw JsonError("it holds bytes that are not UTF-8");
      if (c == '"' && !is_copied) {
        ++at_;
        return piece;
      }
      if (!is_copied) unescaped.clear();
      is_copied = true;
      unescaped.append(piece);
      ++at_;
      if (c == '"') return unescaped;
      unescape(unescaped);
      from = at_--;
      is_ascii = true;
    } else if (static_cast<unsigned char>(c) < ' ') {
      broken();
    } else {
      is_ascii = false;
    }
  }
}

void JsonReader::text(std::string& into) {
  if (!at_text()) another_value("a text");
  ++at_;
  const std::string_view found = string(into);
  constexpr std::size_t inside = 15;  // a short text is stored in the string object
  if (found.size() > inside) keep(found.size() + inside);
  if (found.data() != into.data()) into.assign(found);
}

bool JsonReader::at_text() {
  return next() == '"';
}

bool JsonReader::boolean() {
  const char c = next();
  if (c != 't' && c != 'f') another_value("true or false");
  expect_word(c == 't' ? "true" : "false");
  return c == 't';
}

bool JsonReader::null() {
  if (next() != 'n') return false;
  expect_word("null");
  return true;
}

std::string_view JsonReader::written_number() {
  const char c = next();
  if (c != '-' && !is_digit(c)) another_value("a number");
  const std::string_view number = text_.substr(at_, number_length(text_.substr(at_)));
  if (number.empty()) broken();
  at_ += number.size();
  return number;
}

double JsonReader::number() {
  const std::string_view written = written_number();
  double value = 0;
  if (std::from_chars(written.data(), written.data() + written.size(), value).ec != std::errc())
    throw JsonError("a number in it is out of range");
  return value;
}

std::optional<std::int64_t> JsonReader::count(std::int64_t most) {
  if (!is_digit(next())) return std::nullopt;
  const auto value = number_in<std::int64_t>(written_number());
  return value && *value <= most ? value : std::nullopt;
}

void JsonReader::skip() {
  switch (next()) {
    case '{': object([&](std::string_view) { skip(); }); return;
    case '[': array([&] { skip(); }); return;
    case '"': {
      std::string unescaped;
      ++at_;
      static_cast<void>(string(unescaped));
      return;
    }
    case 't':
    case 'f': static_cast<void>(boolean()); return;
    case 'n': static_cast<void>(null()); return;
    default:
      if (next() != '-' && !is_digit(next())) broken();
      static_cast<void>(written_number());
  }
}

/// Goes to the next closing brace if it is near, outside of texts, and no brace opens before it: by whole words,
/// quickly.
bool JsonReader::goes_to_close() {
  constexpr std::size_t near = 256;
  const std::string_view ahead = text_.substr(at_, near);
  const std::string_view inside = ahead.substr(0, ahead.find('}'));
  if (inside.size() == ahead.size() || inside.find('{') != std::string_view::npos ||
      inside.find('\\') != std::string_view::npos || std::count(inside.begin(), inside.end(), '"') % 2 != 0)
    return false;
  at_ += inside.size();
  return true;
}

void JsonReader::skip_rest() {
  for (int open = 1; open > 0; ++at_) {
    if (!goes_to_close())
      while (at_ < text_.size() && !bracket[static_cast<unsigned char>(text_[at_])]) ++at_;
    if (at_ == text_.size()) broken();
    if (text_[at_] == '{') ++open;
    if (text_[at_] == '}') --open;
    if (text_[at_] != '"') continue;
    while (++at_ < text_.size() && text_[at_] != '"')
      if (text_[at_] == '\\') ++at_;
    if (at_ >= text_.size()) broken();
  }
  --depth_;
  has_skipped_rest_ = true;
}

void JsonReader::end() {
  while (at_ < text_.size())
    if (!is_space(text_[at_++])) broken();
}

}  // namespace starling
