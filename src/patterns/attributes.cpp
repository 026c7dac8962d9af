#include "patterns/attributes.hpp"

#include <algorithm>
#include <utility>

namespace starling::patterns {

/// The most functions that combinations may make.
constexpr std::size_t most_combinations = 100000;

Attribute::Attribute(std::string its_name, std::vector<int> its_values, std::vector<std::string> names)
    : name(std::move(its_name)), values(std::move(its_values)), value_names(std::move(names)) {
  if (values.empty()) throw Fault(Error::argument, "an attribute has at least one value");
  for (std::size_t i = 0; i < values.size(); ++i)
    if (std::count(values.begin(), values.end(), values[i]) > 1)
      throw Fault(Error::argument, "an attribute has the value " + std::to_string(values[i]) + " twice");
  for (std::size_t i = value_names.size(); i < values.size(); ++i) value_names.push_back(std::to_string(values[i]));
}

int Attribute::place_of(int value) const {
  const auto found = std::find(values.begin(), values.end(), value);
  return found == values.end() ? -1 : static_cast<int>(found - values.begin());
}

int AttributeSet::place_of(std::string_view name) const {
  const auto found =
      std::find_if(attributes.begin(), attributes.end(), [&](const auto& one) { return one->name == name; });
  return found == attributes.end() ? -1 : static_cast<int>(found - attributes.begin());
}

std::vector<std::vector<int>> combinations(const AttributeSet& set, const std::vector<std::vector<int>>& excluded) {
  std::size_t all = 1;
  for (const auto& one : set.attributes) {
    all *= one->values.size();
    if (all > most_combinations)
      throw Fault(Error::attribute_set, "the attributes have more than " + std::to_string(most_combinations) +
                                            " combinations; make fewer functions of them");
  }
  std::vector<std::vector<int>> made;
  for (std::size_t number = 0; number < all; ++number) {
    std::vector<int> values(set.attributes.size());
    std::size_t rest = number;
    for (std::size_t i = values.size(); i-- > 0;) {
      const auto& those = set.attributes[i]->values;
      values[i] = those[rest % those.size()];
      rest /= those.size();
    }
    if (std::find(excluded.begin(), excluded.end(), values) == excluded.end()) made.push_back(std::move(values));
  }
  if (made.empty()) throw Fault(Error::attribute_set, "every combination of attribute values is excluded");
  return made;
}

}  // namespace starling::patterns
