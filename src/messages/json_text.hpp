#pragma once

#include <nlohmann/json.hpp>

#include <stdexcept>
#include <string>

namespace starling {

/// Parses JSON from outside. Throws what the parser throws, and std::runtime_error if the value is nested so deeply
/// that recursion over it could run out of stack.
template <typename Json>
Json parsed_json(const std::string& text) {
  constexpr int deepest = 16;
  return Json::parse(text, [](int depth, typename Json::parse_event_t /*event*/, const Json& /*parsed*/) {
    if (depth > deepest) throw std::runtime_error("it is nested too deeply");
    return true;
  });
}

}  // namespace starling
