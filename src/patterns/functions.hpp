#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "patterns/attributes.hpp"
#include "patterns/handles.hpp"
#include "patterns/implementations.hpp"

namespace starling::patterns {

/// One way to carry out a pattern: the program's own code.
struct Function {
  /// What the program gives. `finish` null: `begin` does it all. Each returns 0 or the program's number of an error.
  struct Work {
    using Step = int (*)(Handle request, const Work& work);
    Step begin = nullptr;
    Step progress = nullptr;
    Step finish = nullptr;
    /// The program's functions behind the steps, and what it wants passed on.
    void (*functions[3])() = {};
    void* context = nullptr;
  };
  std::string name;  ///< in characters that a run record has
  Work work;
  std::shared_ptr<const AttributeSet> attributes;  ///< null for none
  std::vector<int> values;                         ///< of each attribute
};

/// Functions that do the same.
class FunctionSet {
 public:
  explicit FunctionSet(std::string name) : name_(std::move(name)) {}
  virtual ~FunctionSet() = default;
  FunctionSet(const FunctionSet&) = delete;
  FunctionSet& operator=(const FunctionSet&) = delete;
  FunctionSet(FunctionSet&&) = delete;
  FunctionSet& operator=(FunctionSet&&) = delete;

  /// As run records have it.
  [[nodiscard]] const std::string& name() const { return name_; }
  /// Null for none.
  [[nodiscard]] virtual std::shared_ptr<const AttributeSet> attributes() const { return nullptr; }
  /// Whether it is one of the library's, which the program does not free.
  [[nodiscard]] virtual bool is_predefined() const { return false; }
  /// Its functions on the data of a request, before `connect`. Throws a Fault where they cannot work on it, perhaps on
  /// this rank only.
  [[nodiscard]] virtual std::unique_ptr<Implementations> on(const Data& data) const = 0;

 private:
  std::string name_;
};

/// A set as settings name it: one of the program's own has `own_set` behind its name.
std::string name_in_settings(const FunctionSet& set);

/// The program's own set. Throws a Fault unless all functions have the same attributes and different values.
std::shared_ptr<FunctionSet> set_of(std::string name, std::vector<std::shared_ptr<const Function>> functions);

/// The set of a function for each combination of attribute values, except those in `excluded`: an array of a value of
/// each attribute. All do the same work, which asks what it is.
std::shared_ptr<FunctionSet> set_of_combinations(std::string name, const Function::Work& work,
                                                 const std::shared_ptr<const AttributeSet>& attributes,
                                                 const std::vector<const int*>& excluded);

/// Checks and completes a function. Throws a Fault for one that cannot be.
std::shared_ptr<const Function> checked(Function function);

/// A text as a name of a run record: letters, digits, dots, dashes and underscores.
std::string as_name(std::string_view text, std::string_view otherwise);

template <>
struct Noun<const Function> {
  static constexpr Kind kind = Kind::function;
  static constexpr const char* name = "function";
  static constexpr Error unknown = Error::function;
};

template <>
struct Noun<FunctionSet> {
  static constexpr Kind kind = Kind::function_set;
  static constexpr const char* name = "function set";
  static constexpr Error unknown = Error::function_set;
};

/// Below lie the predefined sets.
template <>
inline constexpr std::uint32_t first_place<FunctionSet> = 64;

}  // namespace starling::patterns
