#pragma once

#include <nlohmann/json.hpp>

#include <stdexcept>
#include <string>

namespace starling {

/// The JSON value that a text from outside is, or what the parser throws. Throws std::runtime_error where it is nested
/// so deeply that whoever walks through it by recursion could run out of stack.
template <typename Json>
Json parsed_json(const std::string& text) {
  constexpr int deepest = 16;
  return Json::parse(text, [](int depth, typename Json::parse_event_t /*event*/, const Json& /*parsed*/) {
    if (depth > deepest) throw std::runtime_error("it is nested too deeply");
    return true;
  });
}

}  // namespace starling
