#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>

namespace starling {

/// What is wrong with a JSON text, in words for people.
class JsonError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Reads a run record's JSON (RFC 8259) from its beginning to its end, value by value, into what the caller has for it:
/// no tree is built, so that untrusted text costs no more memory than the caller keeps of it. A copy goes on where the
/// original was. Everything throws a JsonError for text that is not as it must be.
class JsonReader {
 public:
  /// `room` is how many bytes the caller may still keep. Text and room must outlive the reader.
  JsonReader(std::string_view text, std::size_t& room) : text_(text), room_(&room) {}

  /// Takes room for what is kept of a value.
  void keep(std::size_t bytes) {
    if (bytes > *room_) throw JsonError("it holds more than a run record can");
    *room_ -= bytes;
  }

  /// Calls `member(key)` for each member of an object; it must read or skip the value. A key is good until the next.
  template <typename Member>
  void object(Member member) {
    if (!begins('{', '}', "an object")) return;
    std::string unescaped;
    do {
      expect('"');
      const std::string_view key = string(unescaped);
      expect(':');
      member(key);
    } while (goes_on('}'));
  }
  /// Calls `element()` for each element of an array; it must read or skip it.
  template <typename Element>
  void array(Element element) {
    if (!begins('[', ']', "an array")) return;
    do {
      element();
    } while (goes_on(']'));
  }

  void text(std::string& into);
  [[nodiscard]] bool boolean();
  [[nodiscard]] double number();
  /// A whole number from 0 to `most`; nothing for another value.
  [[nodiscard]] std::optional<std::int64_t> count(std::int64_t most);
  /// A number as it is written.
  [[nodiscard]] std::string_view written_number();

  /// Whether null comes next, which is then read.
  [[nodiscard]] bool null();
  /// Whether a text comes next.
  [[nodiscard]] bool at_text();
  void skip();
  /// Nothing may follow.
  void end();

 private:
  [[nodiscard]] char next();
  void expect(char wanted);
  void expect_word(std::string_view word);
  bool begins(char open, char close, const char* what);
  bool goes_on(char close);
  std::string_view string(std::string& unescaped);
  void unescape(std::string& into);
  char32_t hexadecimal();
  [[noreturn]] static void broken();
  [[noreturn]] void another_value(const std::string& wanted) const;

  std::string_view text_;
  std::size_t at_ = 0;
  int depth_ = 0;
  std::size_t* room_;
};

}  // namespace starling
