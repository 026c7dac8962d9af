#pragma once

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstddef>
#include <stdexcept>
#include <string>
#include <string_view>

namespace starling {

/// How deeply objects and arrays of a JSON text are nested; of a text that is no JSON some number.
inline int nesting_of(std::string_view text) {
  int deepest = 0;
  int depth = 0;
  bool quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '"') {
      quoted = !quoted;
    } else if (quoted) {
      if (c == '\\') ++i;
    } else if (c == '{' || c == '[') {
      deepest = std::max(deepest, ++depth);
    } else if (c == '}' || c == ']') {
      --depth;
    }
  }
  return deepest;
}

/// Parses JSON from outside. Throws what the parser throws, and std::runtime_error if the value is nested so deeply
/// that recursion over it could run out of stack.
template <typename Json>
Json parsed_json(const std::string& text) {
  constexpr int deepest = 16;
  // Not by the parser's own callback: with one, the end of each object takes a look at all that are in its array.
  if (nesting_of(text) > deepest) throw std::runtime_error("it is nested too deeply");
  return Json::parse(text);
}

}  // namespace starling
