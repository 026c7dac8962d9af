#include "tools/words.hpp"

#include <optional>
#include <stdexcept>
#include <string>

#include "messages/number.hpp"
#include "messages/told.hpp"

namespace starling {

std::int64_t number_from(std::string_view what, std::string_view word, std::int64_t least, std::int64_t most) {
  const auto value = number_in<std::int64_t>(word, least, most);
  if (!value)
    throw std::invalid_argument(told(word).append(": ").append(what).append(" must be a number from ") +
                                std::to_string(least) + " to " + std::to_string(most));
  return *value;
}

Collective collective_from(std::string_view word) {
  const std::optional<Collective> found = collective_named(word);
  if (!found) {
    std::string why = std::string("no collective ").append(told(word)).append("; there are");
    for (const std::string_view name : collective_names)
      why.append(name == collective_names.front() ? ": " : ", ").append(name);
    throw std::invalid_argument(why);
  }
  return *found;
}

}  // namespace starling
