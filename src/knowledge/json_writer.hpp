#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace starling {

/// Writes JSON (RFC 8259), value by value.
class JsonWriter {
 public:
  /// Objects and arrays nested up to `lines` deep have a line for each member, indented by two blanks; deeper ones are
  /// on one line. 0: all on one line, without blanks. `depth`: the depth at which this text goes into another one.
  explicit JsonWriter(int lines, int depth = 0) : lines_(lines), depth_(depth) {}

  /// Members follow as `key` and a value, until `close`.
  void object() { open('{'); }
  void array() { open('['); }
  void close();
  void key(std::string_view key);

  /// Bytes that are not UTF-8 become U+FFFD.
  void text(std::string_view text);
  /// The shortest form that is read back exactly; null if it is not finite.
  void number(double value);
  void count(std::int64_t value);
  void boolean(bool value) { word(value ? "true" : "false"); }
  void null() { word("null"); }
  /// A value that is already JSON.
  void word(std::string_view json);

  [[nodiscard]] const std::string& written() const { return written_; }

 private:
  void open(char bracket);
  void separate();
  void new_line();
  void quote(std::string_view text);

  std::string written_;
  std::string closing_;  ///< brackets that close the open objects and arrays
  int lines_;
  int depth_;
  bool is_empty_ = true;  ///< the object or array opened last is empty
  bool after_key_ = false;
};

/// A number as `JsonWriter` writes it.
std::string json_number(double value);

}  // namespace starling
