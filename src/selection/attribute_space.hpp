#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "selection/strategy.hpp"

namespace starling {

/// The eligible candidates of a context as points: one coordinate for each attribute that they do not all have in
/// common. A candidate without an attribute has a value of its own there. Combinations that no candidate has do not
/// exist.
class AttributeSpace {
 public:
  /// Two candidates that differ in one attribute only.
  struct Pair {
    int one;
    int other;
    int attribute;
    bool operator==(const Pair&) const = default;
  };

  explicit AttributeSpace(std::span<const Candidate> candidates);
  bool operator==(const AttributeSpace&) const = default;

  /// The eligible candidates, in order.
  [[nodiscard]] const std::vector<int>& members() const { return members_; }
  [[nodiscard]] int attributes() const { return static_cast<int>(attributes_.size()); }
  [[nodiscard]] int values(int attribute) const { return static_cast<int>(at(attribute).values.size()); }
  /// The value of an eligible candidate, as a number from 0.
  [[nodiscard]] int value(int candidate, int attribute) const {
    return points_[static_cast<std::size_t>(candidate)][static_cast<std::size_t>(attribute)];
  }
  /// The least and the greatest value: of numbers by size, of words the first and the last by the order of candidates.
  [[nodiscard]] int lowest(int attribute) const { return at(attribute).lowest; }
  [[nodiscard]] int highest(int attribute) const { return at(attribute).highest; }
  /// Whether what lies between the least and the greatest value has its time between theirs, or nothing does: numbers,
  /// or two values.
  [[nodiscard]] bool is_ordered(int attribute) const { return at(attribute).ordered || values(attribute) == 2; }
  /// "segment=8192", or "segment=none" for the value of those without it.
  [[nodiscard]] std::string in_words(int attribute, int value) const;
  [[nodiscard]] const std::string& name(int attribute) const { return at(attribute).name; }

  [[nodiscard]] const std::vector<Pair>& pairs() const { return pairs_; }
  /// The number of attributes in which both differ.
  [[nodiscard]] int differences(int one, int other) const;
  [[nodiscard]] int kinds() const { return kinds_.empty() ? 1 : static_cast<int>(kinds_.size()); }
  /// The kind of an eligible candidate, as a number from 0.
  [[nodiscard]] int kind(int candidate) const {
    return kind_of_.empty() ? 0 : kind_of_[static_cast<std::size_t>(candidate)];
  }
  [[nodiscard]] const std::string& kind_in_words(int kind) const { return kinds_[static_cast<std::size_t>(kind)].name; }
  /// Seconds that beginning with a kind takes besides; 0 where there is only one.
  [[nodiscard]] double seconds_to_begin(int kind) const {
    return kinds_.empty() ? 0 : kinds_[static_cast<std::size_t>(kind)].seconds_to_begin;
  }
  /// Whether both are of one kind, and not all are.
  [[nodiscard]] bool are_of_one_kind(int one, int other) const { return kinds() > 1 && kind(one) == kind(other); }
  /// In how many ways candidates may be alike: by the value of each attribute, and by their kind if there are several.
  [[nodiscard]] int likenesses() const { return attributes() + (kinds() > 1 ? 1 : 0); }
  /// What the ways in which two are alike add up to, each with a share, that of the kind last; 0 where there is none.
  [[nodiscard]] double likeness(int one, int other, std::span<const double> shares) const;

 private:
  struct Attribute {
    std::string name;
    std::vector<std::string> values;
    int lowest = 0;
    int highest = 0;
    bool ordered = false;
    bool operator==(const Attribute&) const = default;
  };

  struct Kind {
    std::string name;
    double seconds_to_begin = 0;
    bool operator==(const Kind&) const = default;
  };

  [[nodiscard]] const Attribute& at(int attribute) const { return attributes_[static_cast<std::size_t>(attribute)]; }
  [[nodiscard]] std::optional<int> only_difference(int one, int other) const;

  std::vector<int> members_;
  std::vector<Attribute> attributes_;
  std::vector<std::vector<int>> points_;  ///< of each candidate, empty where it is not eligible
  std::vector<Kind> kinds_;               ///< empty where there is only one
  std::vector<int> kind_of_;              ///< of each candidate, likewise
  std::vector<Pair> pairs_;
};

}  // namespace starling
