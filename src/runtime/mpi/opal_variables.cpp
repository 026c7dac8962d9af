#include "runtime/mpi/opal_variables.hpp"

#include <cstdlib>
#include <string_view>

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

/// Takes what a line of the dump says after the variable's name.
void add(OpalVariable& variable, std::string_view said) {
  constexpr std::string_view enumerator = "enumerator:value:";
  constexpr std::string_view help = "help:";
  if (said == "type:int") variable.is_int = true;
  if (said == "type:string") variable.is_text = true;
  if (said == "status:writeable") variable.is_writable = true;
  if (said.starts_with(help)) variable.description = said.substr(help.size());
  if (said.starts_with(enumerator)) {
    const std::string value(said.substr(enumerator.size()));
    if (const std::size_t colon = value.find(':'); colon != std::string::npos)
      variable.values.emplace_back(std::atoi(value.c_str()), value.substr(colon + 1));
  }
}

}  // namespace

bool has_opal_variables() {
  const Opal& all = opal();
  return all.find_by_name != nullptr && all.get_value != nullptr && all.set_value != nullptr && all.dump != nullptr;
}

std::optional<OpalVariable> opal_variable(const std::string& name) {
  OpalVariable variable;
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
  std::free(lines);
  return variable;
}

const void* opal_value(int index) {
  const void* storage = nullptr;
  return opal().get_value(index, static_cast<void*>(&storage), nullptr, nullptr) == success ? storage : nullptr;
}

bool set_opal_value(int index, int value) {
  return opal().set_value(index, &value, 0, set_by_a_tool, nullptr) == success;
}

}  // namespace starling
