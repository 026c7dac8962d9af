#pragma once

#include <memory>
#include <string>
#include <vector>

#include "patterns/handles.hpp"

namespace starling::patterns {

/// A characteristic that functions differ in, and the values that it can have.
struct Attribute {
  std::string name;
  std::vector<int> values;
  std::vector<std::string> value_names;

  /// Throws a Fault for values that cannot be.
  Attribute(std::string name, std::vector<int> values, std::vector<std::string> value_names);
  /// The place of a value; -1 for none.
  [[nodiscard]] int place_of(int value) const;
};

/// Attributes that belong together.
struct AttributeSet {
  std::vector<std::shared_ptr<const Attribute>> attributes;
  /// The place of an attribute; -1 for none.
  [[nodiscard]] int place_of(std::string_view name) const;
};

/// Every combination of values, the last attribute's changing first, except those that are excluded.
std::vector<std::vector<int>> combinations(const AttributeSet& set, const std::vector<std::vector<int>>& excluded);

template <>
struct Noun<Attribute> {
  static constexpr Kind kind = Kind::attribute;
  static constexpr const char* name = "attribute";
  static constexpr Error unknown = Error::attribute;
};

template <>
struct Noun<AttributeSet> {
  static constexpr Kind kind = Kind::attribute_set;
  static constexpr const char* name = "attribute set";
  static constexpr Error unknown = Error::attribute_set;
};

}  // namespace starling::patterns
