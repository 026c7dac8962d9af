#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>

namespace starling {

/// An error in a JSON text, explained for the user.
class JsonError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Reads the JSON (RFC 8259) of a run record or another kind of file sequentially, value by value, into the caller's
/// data. It builds no tree, so that untrusted text costs no more memory than the caller keeps. A copy continues at the
/// position of the original. Every function throws a JsonError for wrong text.
class JsonReader {
 public:
  /// `room`: how many bytes the caller may still keep. `kind`: what the file should be, as errors name it. All three
  /// must outlive the reader.
  JsonReader(std::string_view text, std::size_t& room, std::string_view kind = "run record")
      : text_(text), kind_(kind), room_(&room) {}

  /// Takes room for the bytes kept of a value.
  void keep(std::size_t bytes) {
    if (bytes > *room_) too_much();
    *room_ -= bytes;
  }

  /// Calls `member(key)` for each member of an object; it must read or skip the value, after which it may skip the
  /// rest. A key is valid until the next one. `likely()` may tell which key comes next: it is then found by one
  /// comparison. Returns whether it has seen all members.
  template <typename Member, typename Likely>
  bool object(Member member, Likely likely) {
    if (!begins('{', '}', "an object")) return true;
    std::string unescaped;
    do {
      expect('"');
      const std::string_view key = string(unescaped, likely());
      expect(':');
      member(key);
      if (has_skipped_rest_) {
        has_skipped_rest_ = false;
        return false;
      }
    } while (goes_on('}'));
    return true;
  }
  template <typename Member>
  void object(Member member) {
    static_cast<void>(object(member, [] { return std::string_view(); }));
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

  /// Whether the next value is null; if so, reads it.
  [[nodiscard]] bool null();
  /// Whether the next value is a text.
  [[nodiscard]] bool at_text();
  void skip();
  /// Skips the members that the present object still has. Looks only for its end: what it skips may be no JSON.
  void skip_rest();
  /// Checks that nothing follows.
  void end();

  /// The line at which it stands, from 1.
  [[nodiscard]] std::int64_t line() const;
  /// Throws the error of a text that is of another kind.
  [[noreturn]] void of_another_kind(const std::string& why) const;
  [[noreturn]] void missing(std::string_view name) const;
  [[noreturn]] void too_much() const;

 private:
  /// The next character that is not white space; it is not consumed.
  [[nodiscard]] char next() {
    while (at_ < text_.size() && is_space(text_[at_])) ++at_;
    if (at_ == text_.size()) broken();
    return text_[at_];
  }
  static constexpr bool is_space(char c) { return c == ' ' || c == '\n' || c == '\r' || c == '\t'; }
  void expect(char wanted);
  void expect_word(std::string_view word);
  bool begins(char open, char close, const char* what);
  bool goes_on(char close);
  std::string_view string(std::string& unescaped, std::string_view likely = {});
  bool goes_to_close();
  void unescape(std::string& into);
  char32_t hexadecimal();
  [[noreturn]] static void broken();
  [[noreturn]] void another_value(const std::string& wanted) const;

  std::string_view text_;
  std::string_view kind_;
  std::size_t at_ = 0;
  int depth_ = 0;
  bool has_skipped_rest_ = false;
  std::size_t* room_;
};

}  // namespace starling
