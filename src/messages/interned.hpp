#pragma once

#include <ostream>
#include <string>
#include <string_view>

namespace starling {

/// A text that the process keeps once and for ever: a copy is a pointer, equal texts are one object. For names and
/// reasons: few different ones, shared by many contexts.
class Interned {
 public:
  Interned();
  Interned(std::string_view text);  // NOLINT(google-explicit-constructor): a text wherever one is wanted
  Interned(const std::string& text) : Interned(std::string_view(text)) {}  // NOLINT(google-explicit-constructor)
  Interned(const char* text) : Interned(std::string_view(text)) {}         // NOLINT(google-explicit-constructor)

  [[nodiscard]] const std::string& text() const { return *text_; }
  [[nodiscard]] bool empty() const { return text_->empty(); }
  operator std::string_view() const { return *text_; }  // NOLINT(google-explicit-constructor)

  friend bool operator==(const Interned& one, const Interned& other) { return one.text_ == other.text_; }
  friend bool operator==(const Interned& one, const std::string& other) { return *one.text_ == other; }
  friend bool operator==(const Interned& one, const char* other) { return *one.text_ == other; }
  friend std::string operator+(const Interned& one, std::string_view other) {
    return std::string(*one.text_).append(other);
  }
  friend std::string operator+(const std::string& one, const Interned& other) { return one + *other.text_; }
  friend std::ostream& operator<<(std::ostream& out, const Interned& one) { return out << *one.text_; }

 private:
  const std::string* text_;
};

}  // namespace starling
