#include "selection/attribute_space.hpp"

#include <algorithm>
#include <utility>

#include "messages/number.hpp"

namespace starling {
namespace {

std::string value_of(const Candidate& candidate, const std::string& attribute) {
  for (const auto& [name, value] : candidate.attributes)
    if (name == attribute) return value;
  return {};
}

/// The values, if they are all numbers; else none.
std::vector<double> numbers(const std::vector<std::string>& values) {
  std::vector<double> found;
  for (const std::string& value : values) {
    const auto one = number_in<double>(value);
    if (!one) return {};
    found.push_back(*one);
  }
  return found;
}

}  // namespace

AttributeSpace::AttributeSpace(std::span<const Candidate> candidates) : points_(candidates.size()) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    if (!candidates[i].eligible()) continue;
    members_.push_back(static_cast<int>(i));
    for (const auto& [name, value] : candidates[i].attributes)
      if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  }
  for (const std::string& name : names) {
    Attribute one{.name = name};
    std::vector<int> found;
    for (const int member : members_) {
      const std::string value = value_of(candidates[static_cast<std::size_t>(member)], name);
      const auto known = std::find(one.values.begin(), one.values.end(), value);
      found.push_back(static_cast<int>(known - one.values.begin()));
      if (known == one.values.end()) one.values.push_back(value);
    }
    if (one.values.size() < 2) continue;
    one.highest = static_cast<int>(one.values.size()) - 1;
    if (const std::vector<double> all = numbers(one.values); !all.empty()) {
      one.ordered = true;
      one.lowest = static_cast<int>(std::min_element(all.begin(), all.end()) - all.begin());
      one.highest = static_cast<int>(std::max_element(all.begin(), all.end()) - all.begin());
    }
    attributes_.push_back(std::move(one));
    for (std::size_t i = 0; i < members_.size(); ++i)
      points_[static_cast<std::size_t>(members_[i])].push_back(found[i]);
  }
  std::vector<Kind> kinds;
  std::vector<int> kind_of(candidates.size());
  for (const int member : members_) {
    const Candidate& candidate = candidates[static_cast<std::size_t>(member)];
    const auto known =
        std::find_if(kinds.begin(), kinds.end(), [&](const Kind& one) { return one.name == candidate.kind.text(); });
    kind_of[static_cast<std::size_t>(member)] = static_cast<int>(known - kinds.begin());
    if (known == kinds.end()) kinds.push_back({candidate.kind.text(), candidate.seconds_to_begin});
  }
  if (kinds.size() > 1) {
    kinds_ = std::move(kinds);
    kind_of_ = std::move(kind_of);
  }
  for (auto one = members_.begin(); one != members_.end(); ++one)
    for (auto other = one + 1; other != members_.end(); ++other)
      if (const auto attribute = only_difference(*one, *other)) pairs_.push_back({*one, *other, *attribute});
}

std::optional<int> AttributeSpace::only_difference(int one, int other) const {
  std::optional<int> found;
  for (int attribute = 0; attribute < attributes(); ++attribute) {
    if (value(one, attribute) == value(other, attribute)) continue;
    if (found) return std::nullopt;
    found = attribute;
  }
  return found;
}

std::string AttributeSpace::in_words(int attribute, int value) const {
  const std::string& text = at(attribute).values[static_cast<std::size_t>(value)];
  return at(attribute).name + "=" + (text.empty() ? "none" : text);
}

int AttributeSpace::differences(int one, int other) const {
  int found = 0;
  for (int attribute = 0; attribute < attributes(); ++attribute)
    if (value(one, attribute) != value(other, attribute)) ++found;
  return found;
}

double AttributeSpace::likeness(int one, int other, std::span<const double> shares) const {
  double alike = 0;
  for (int attribute = 0; attribute < attributes(); ++attribute)
    if (value(one, attribute) == value(other, attribute)) alike += shares[static_cast<std::size_t>(attribute)];
  if (are_of_one_kind(one, other)) alike += shares.back();
  return alike;
}

}  // namespace starling
