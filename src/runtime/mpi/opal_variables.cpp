#include "runtime/mpi/opal_variables.hpp"

#include <charconv>
#include <cstdlib>
#include <optional>
#include <string_view>
#include <type_traits>

#include "runtime/mpi/flavour.hpp"
#include "runtime/mpi/loaded.hpp"

namespace starling {
namespace {

/// Of libopen-pal, with these types in versions 4 and 5.
struct Opal {
  int (*find_by_name)(const char* name, int* index) = nullptr;
  int (*get_value)(int index, const void* storage, int* source, const char** file) = nullptr;
  int (*set_value)(int index, const void* value, std::size_t size, int source, const char* file) = nullptr;
  int (*dump)(int index, char*** lines, int format) = nullptr;
};

constexpr int success = 0;
constexpr int parsable = 1;       ///< MCA_BASE_VAR_DUMP_PARSABLE: what ompi_info --parsable prints
constexpr int set_by_a_tool = 4;  ///< MCA_BASE_VAR_SOURCE_SET, as MPI_T_cvar_write has it

const Opal& opal() {
  static const Opal found = [] {
    Opal all;
    const auto find = [](auto& function, const char* name) {
      function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(mpi_symbol(name));
    };
    const std::string& version = flavour().version;
    if (flavour().name != "openmpi" || !(version.starts_with("4.") || version.starts_with("5."))) return all;
    find(all.find_by_name, "mca_base_var_find_by_name");
    find(all.get_value, "mca_base_var_get_value");
    find(all.set_value, "mca_base_var_set_value");
    find(all.dump, "mca_base_var_dump");
    return all;
  }();
  return found;
}

/// What Open MPI says of a variable.
struct Said {
  int index = 0;
  bool is_int = false;
  bool is_text = false;
  bool is_writable = false;
  std::string description;
  std::vector<std::pair<int, std::string>> values;  ///< those with names; empty if it does not enumerate them
};

/// Takes what a line of the dump says after the variable's name.
void add(Said& variable, std::string_view said) {
  constexpr std::string_view enumerator = "enumerator:value:";
  constexpr std::string_view help = "help:";
  if (said == "type:int") variable.is_int = true;
  if (said == "type:string") variable.is_text = true;
  if (said == "status:writeable") variable.is_writable = true;
  if (said.starts_with(help)) variable.description = said.substr(help.size());
  if (said.starts_with(enumerator)) {
    const std::string_view value = said.substr(enumerator.size());
    if (const std::size_t colon = value.find(':'); colon != std::string_view::npos) {
      int number = 0;
      std::from_chars(&value.front(), &value[colon], number);
      variable.values.emplace_back(number, value.substr(colon + 1));
    }
  }
}

/// Nothing if there is none of that name.
std::optional<Said> said_of(const std::string& name) {
  Said variable;
  char** lines = nullptr;
  if (opal().find_by_name(name.c_str(), &variable.index) != success ||
      opal().dump(variable.index, &lines, parsable) != success || lines == nullptr)
    return std::nullopt;
  const std::string before = ":" + name + ":";
  for (char** line = lines; *line != nullptr; ++line) {
    const std::string_view text(*line);
    if (const std::size_t at = text.find(before); at != std::string_view::npos)
      add(variable, text.substr(at + before.size()));
    std::free(*line);
  }
  std::free(static_cast<void*>(lines));
  return variable;
}

/// Where its value is stored now; null if Open MPI does not tell.
const void* value_of(int index) {
  const void* storage = nullptr;
  return opal().get_value(index, static_cast<void*>(&storage), nullptr, nullptr) == success ? storage : nullptr;
}

class OpalVariable final : public ControlVariable {
 public:
  OpalVariable(std::string name, int index, bool is_writable)
      : name_(std::move(name)), index_(index), is_writable_(is_writable) {}

  [[nodiscard]] bool is_writable() const override { return is_writable_; }
  [[nodiscard]] int read() const override { return *static_cast<const int*>(value_of(index_)); }
  [[nodiscard]] bool write(int value) const override {
    return opal().set_value(index_, &value, 0, set_by_a_tool, nullptr) == success;
  }
  // Asked for once: not kept.
  [[nodiscard]] std::string description() const override { return said_of(name_).value_or(Said{}).description; }
  [[nodiscard]] std::vector<std::pair<int, std::string>> enumeration() const override {
    return said_of(name_).value_or(Said{}).values;
  }

 private:
  std::string name_;
  int index_;
  bool is_writable_;
};

class OpalVariables final : public ControlVariables {
 public:
  [[nodiscard]] std::shared_ptr<const ControlVariable> find(const std::string& name) const override {
    const auto said = said_of(name);
    if (!said || !said->is_int || value_of(said->index) == nullptr) return nullptr;
    return std::make_shared<OpalVariable>(name, said->index, said->is_writable);
  }

  [[nodiscard]] std::string text(const std::string& name) const override {
    const auto said = said_of(name);
    const void* const storage = said && said->is_text ? value_of(said->index) : nullptr;
    const char* const text = storage != nullptr ? *static_cast<const char* const*>(storage) : nullptr;
    return text != nullptr ? text : "";
  }
};

}  // namespace

std::unique_ptr<ControlVariables> opal_variables() {
  const Opal& all = opal();
  if (all.find_by_name == nullptr || all.get_value == nullptr || all.set_value == nullptr || all.dump == nullptr)
    return nullptr;
  return std::make_unique<OpalVariables>();
}

}  // namespace starling
