#pragma once

#include <charconv>
#include <optional>
#include <string_view>
#include <system_error>

namespace starling {

/// The number that a text is, to its last character; nothing for a text that is none, or whose number is too large.
template <typename Number>
std::optional<Number> number_in(std::string_view text) {
  Number value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

/// The same; nothing for a number that is not from `least` to `most`.
template <typename Number>
std::optional<Number> number_in(std::string_view text, Number least, Number most) {
  const std::optional<Number> value = number_in<Number>(text);
  return value && *value >= least && *value <= most ? value : std::nullopt;
}

}  // namespace starling
