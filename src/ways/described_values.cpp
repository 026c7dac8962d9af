#include "ways/described_values.hpp"

#include <algorithm>
#include <array>
#include <string_view>

namespace starling {

std::vector<std::string> names_in_description(const std::string& description) {
  // The words before an entry that the text of the last one may run into: "Force smp algorithmdissemination - ...".
  constexpr std::array<std::string_view, 5> last_words{"algorithm", "collectives", "Tree", "Allgather", "Ring"};
  const auto is_part = [](char letter) {
    return (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z') || (letter >= '0' && letter <= '9') ||
           letter == '_';
  };
  std::vector<std::string> names;
  for (std::size_t dash = description.find(" - "); dash != std::string::npos;
       dash = description.find(" - ", dash + 1)) {
    std::size_t end = dash;
    while (end > 0 && description[end - 1] == ' ') --end;
    std::size_t begin = end;
    while (begin > 0 && is_part(description[begin - 1])) --begin;
    std::string_view name = std::string_view(description).substr(begin, end - begin);
    for (const std::string_view word : last_words)
      if (name.starts_with(word)) name.remove_prefix(word.size());
    const bool is_name = !name.empty() && std::none_of(name.begin(), name.end(),
                                                       [](char letter) { return letter >= 'A' && letter <= 'Z'; });
    if (!is_name) return {};
    names.emplace_back(name);
  }
  return names;
}

}  // namespace starling
