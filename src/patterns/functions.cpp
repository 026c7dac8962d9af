#include "patterns/functions.hpp"

#include <algorithm>
#include <utility>

#include "knowledge/names.hpp"
#include "patterns/request.hpp"
#include "schedule/collective.hpp"

namespace starling::patterns {
namespace {

constexpr std::size_t longest_name = 64;

bool is_of_name(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-' || c == '.';
}

using Functions = std::vector<std::shared_ptr<const Function>>;

/// The names of functions, made different where they are not.
std::vector<std::string> names_of(const Functions& functions) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < functions.size(); ++i) {
    std::string name = functions[i]->name;
    if (name.empty()) name = "function_" + std::to_string(i);
    if (std::find(names.begin(), names.end(), name) != names.end()) name += "." + std::to_string(i);
    names.push_back(std::move(name));
  }
  return names;
}

/// The program's functions for one request.
class UserFunctions final : public Implementations {
 public:
  UserFunctions(Functions functions, std::vector<std::string> names)
      : functions_(std::move(functions)), names_(std::move(names)) {}

  [[nodiscard]] std::vector<Candidate> candidates() const override {
    std::vector<Candidate> all;
    for (std::size_t i = 0; i < functions_.size(); ++i) {
      Candidate& one = all.emplace_back();
      one.name = names_[i];
      one.group = names_[i];
      const Function& function = *functions_[i];
      if (!function.attributes) {
        one.attributes = {{"function", names_[i]}};
        continue;
      }
      for (std::size_t j = 0; j < function.values.size(); ++j) {
        const Attribute& attribute = *function.attributes->attributes[j];
        one.attributes.emplace_back(
            attribute.name, attribute.value_names[static_cast<std::size_t>(attribute.place_of(function.values[j]))]);
      }
    }
    return all;
  }
  [[nodiscard]] std::vector<int> values(int function) const override { return at(function).values; }
  [[nodiscard]] bool splits(int function) const override { return at(function).work.finish != nullptr; }
  int begin(int function, Request& request) override {
    const Function::Work& work = at(function).work;
    return work.begin(request.handle(), work);
  }
  int progress(int function, Request& request, bool& complete) override {
    const Function::Work& work = at(function).work;
    complete = false;
    return work.progress == nullptr ? 0 : work.progress(request.handle(), work);
  }
  int finish(int function, Request& request) override {
    const Function::Work& work = at(function).work;
    return work.finish(request.handle(), work);
  }

 private:
  [[nodiscard]] const Function& at(int function) const { return *functions_[static_cast<std::size_t>(function)]; }

  Functions functions_;
  std::vector<std::string> names_;
};

class UserSet final : public FunctionSet {
 public:
  UserSet(std::string name, Functions functions)
      : FunctionSet(std::move(name)), functions_(std::move(functions)), names_(names_of(functions_)) {}
  [[nodiscard]] std::shared_ptr<const AttributeSet> attributes() const override {
    return functions_.front()->attributes;
  }
  [[nodiscard]] std::unique_ptr<Implementations> on(const Data& /*data*/) const override {
    return std::make_unique<UserFunctions>(functions_, names_);
  }

 private:
  Functions functions_;
  std::vector<std::string> names_;
};

}  // namespace

std::string as_name(std::string_view text, std::string_view otherwise) {
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);  // Fortran pads with blanks
  std::string name(text.substr(0, longest_name));
  std::replace_if(
      name.begin(), name.end(), [](char c) { return !is_of_name(c); }, '_');
  return name.empty() ? std::string(otherwise) : name;
}

std::shared_ptr<const Function> checked(Function function) {
  if (function.work.begin == nullptr) throw Fault(Error::work, "the work function is null");
  if (!function.attributes) {
    function.values.clear();
    return std::make_shared<const Function>(std::move(function));
  }
  const auto& attributes = function.attributes->attributes;
  for (std::size_t i = 0; i < attributes.size(); ++i) {
    if (attributes[i]->place_of(function.values[i]) >= 0) continue;
    throw Fault(Error::attribute, "the function gives the attribute " + attributes[i]->name + " the value " +
                                      std::to_string(function.values[i]) + ", which it does not have");
  }
  return std::make_shared<const Function>(std::move(function));
}

std::string name_in_settings(const FunctionSet& set) {
  return set.is_predefined() || set.name().ends_with(own_set) ? set.name() : std::string(set.name()).append(own_set);
}

std::shared_ptr<FunctionSet> set_of(std::string name, std::vector<std::shared_ptr<const Function>> functions) {
  if (functions.empty()) throw Fault(Error::argument, "a function set has at least one function");
  const auto& first = functions.front()->attributes;
  for (std::size_t i = 0; i < functions.size(); ++i) {
    if (functions[i]->attributes != first)
      throw Fault(Error::attribute_set, "the functions 0 and " + std::to_string(i) +
                                            " have different attribute sets; give all functions of a set the same");
    if (!first) continue;
    for (std::size_t j = 0; j < i; ++j)
      if (functions[i]->values == functions[j]->values)
        throw Fault(Error::attribute_set, "the functions " + std::to_string(j) + " and " + std::to_string(i) +
                                              " have the same attribute values; an attribute must tell them apart");
  }
  // A run record keeps what is known of a collective by its name, and this is something else.
  if (collective_named(name)) name += own_set;
  return std::make_shared<UserSet>(std::move(name), std::move(functions));
}

std::shared_ptr<FunctionSet> set_of_combinations(std::string name, const Function::Work& work,
                                                 const std::shared_ptr<const AttributeSet>& attributes,
                                                 const std::vector<const int*>& excluded) {
  const auto count = attributes->attributes.size();
  std::vector<std::vector<int>> without;
  for (const int* values : excluded) {
    if (values == nullptr) throw Fault(Error::argument, "the address of an excluded combination is null");
    without.emplace_back(values, values + count);
  }
  std::vector<std::shared_ptr<const Function>> functions;
  for (std::vector<int>& values : combinations(*attributes, without)) {
    std::string its_name = name;
    for (std::size_t i = 0; i < count; ++i) {
      const Attribute& attribute = *attributes->attributes[i];
      its_name += "." + as_name(attribute.value_names[static_cast<std::size_t>(attribute.place_of(values[i]))], "");
    }
    functions.push_back(checked({std::move(its_name), work, attributes, std::move(values)}));
  }
  return set_of(std::move(name), std::move(functions));
}

}  // namespace starling::patterns
