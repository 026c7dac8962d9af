#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace starling {

/// Writes JSON (RFC 8259), value by value.
class JsonWriter {
 public:
  /// Objects and arrays nested up to `lines` deep have a line for each member, indented by two blanks; those inside
  /// them stand on one line. 0: all on one line, without blanks. `depth`: how deep in another text this one will be.
  explicit JsonWriter(int lines, int depth = 0) : lines_(lines), depth_(depth) {}

  /// Members follow as `key` and a value, until `close`.
  void object() { open('{'); }
  void array() { open('['); }
  void close();
  void key(std::string_view key);

  /// Bytes that are not UTF-8 become U+FFFD.
  void text(std::string_view text);
  /// As short as can be read back exactly; null where it is not finite.
  void number(double value);
  void count(std::int64_t value);
  void boolean(bool value) { word(value ? "true" : "false"); }
  void null() { word("null"); }
  /// A value that is JSON already.
  void word(std::string_view json);

  [[nodiscard]] const std::string& written() const { return written_; }

 private:
  void open(char bracket);
  void separate();
  void new_line();
  void quote(std::string_view text);

  std::string written_;
  std::string closing_;  ///< of what is open
  int lines_;
  int depth_;
  bool is_empty_ = true;  ///< nothing is in what was opened last
  bool after_key_ = false;
};

/// A number as `JsonWriter` writes it.
std::string json_number(double value);

}  // namespace starling
