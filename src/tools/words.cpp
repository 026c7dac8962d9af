#include "tools/words.hpp"

#include <optional>
#include <stdexcept>
#include <string>
#include <utility>

#include "knowledge/names.hpp"
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

Way way_from(std::string_view word) {
  const std::size_t colon = word.find(':');
  if (colon == std::string_view::npos)
    throw std::invalid_argument(
        told(word).append(": name an algorithm as in alltoall:ring or bcast:chain?segment=8192"));
  const Collective collective = collective_from(word.substr(0, colon));
  const std::string_view name = word.substr(colon + 1);
  std::optional<Way> found = way_named(collective, name);
  if (!found) throw std::invalid_argument(why_unknown(collective, name));
  return *std::move(found);
}

}  // namespace starling
