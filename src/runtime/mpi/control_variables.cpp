#include "runtime/mpi/control_variables.hpp"

#include <mpi.h>

#include <array>
#include <functional>
#include <map>

#include "runtime/mpi/features.hpp"
#include "runtime/mpi/flavour.hpp"
#include "runtime/mpi/opal_variables.hpp"
#include "runtime/mpi/pmpi.hpp"

namespace starling {

#if STARLING_SIMULATED

// SMPI has no tool interface.
bool start_control_variables() {
  return false;
}
void stop_control_variables() {}
std::optional<ControlVariable> ControlVariable::find(const std::string& /*name*/) {
  return std::nullopt;
}
std::string ControlVariable::text(const std::string& /*name*/) {
  return {};
}
int ControlVariable::read() const {
  return index_;
}
bool ControlVariable::write(int /*value*/) const {
  return handle_ != nullptr;
}
std::string ControlVariable::description() const {
  return {};
}
std::vector<std::pair<int, std::string>> ControlVariable::enumeration() const {
  return {};
}

#else

namespace {

// clang-format off
#define STARLING_TOOL_FUNCTIONS(F)                                                                                   \
  F(init_thread) F(finalize) F(cvar_get_index) F(cvar_get_info) F(cvar_handle_alloc) F(cvar_read) F(cvar_write)       \
  F(enum_get_info) F(enum_get_item)
// clang-format on

/// The functions of the tool interface, by their profiling names; null where the library lacks them.
struct Tool {
#define STARLING_DECLARE(function) decltype(&::PMPI_T_##function) function = nullptr;
  STARLING_TOOL_FUNCTIONS(STARLING_DECLARE)
#undef STARLING_DECLARE
  bool is_started = false;
  bool is_opal = false;  ///< started, and opal_variables.hpp is used instead
  std::map<std::string, std::optional<ControlVariable>, std::less<>> known;  ///< handles are never given back
};
/// Never destroyed: a program may call MPI while its own statics are destroyed.
Tool& tool = *new Tool;

/// Finds the functions. False if one is missing.
bool found_functions() {
  bool all = true;
#define STARLING_FIND(name)                                                       \
  tool.name = reinterpret_cast<decltype(tool.name)>(mpi_symbol("PMPI_T_" #name)); \
  all = all && tool.name != nullptr;
  STARLING_TOOL_FUNCTIONS(STARLING_FIND)
#undef STARLING_FIND
  return all;
}

constexpr int longest = 8192;

/// What the library says of a variable.
struct Info {
  std::string description;
  MPI_Datatype type{};
  MPI_T_enum values{};
  int binding = 0;
  int scope = 0;
};

std::optional<Info> info_of(int index) {
  Info info;
  std::array<char, longest> name{};
  std::array<char, longest> description{};
  int name_length = longest;
  int description_length = longest;
  int verbosity = 0;
  if (tool.cvar_get_info(index, name.data(), &name_length, &verbosity, &info.type, &info.values, description.data(),
                         &description_length, &info.binding, &info.scope) != MPI_SUCCESS)
    return std::nullopt;
  info.description = description.data();
  return info;
}

std::optional<int> index_of(const std::string& name) {
  int index = 0;
  if (!tool.is_started || tool.cvar_get_index(name.c_str(), &index) != MPI_SUCCESS) return std::nullopt;
  return index;
}

/// A handle of the variable for the process; nothing if the library gives none, or the variable has several elements.
std::optional<MPI_T_cvar_handle> handle_of(int index, int& count) {
  MPI_T_cvar_handle handle{};
  count = 0;
  if (tool.cvar_handle_alloc(index, nullptr, &handle, &count) != MPI_SUCCESS) return std::nullopt;
  return handle;
}

}  // namespace

bool start_control_variables() {
  tool.is_opal = has_opal_variables();
  if (tool.is_opal) return true;
  // Open MPI takes the level that is asked for as that of MPI itself, and tells it the program.
  int level = MPI_THREAD_SINGLE;
  pmpi.Query_thread(&level);
  int provided = 0;
  if (!tool.is_started) tool.is_started = found_functions() && tool.init_thread(level, &provided) == MPI_SUCCESS;
  return tool.is_started;
}

void stop_control_variables() {
  if (tool.is_started) tool.finalize();
  tool.is_started = false;
  tool.is_opal = false;
  tool.known.clear();
}

std::optional<ControlVariable> ControlVariable::find(const std::string& name) {
  const auto [known, is_new] = tool.known.try_emplace(name);
  if (is_new) known->second = found(name);
  return known->second;
}

std::optional<ControlVariable> ControlVariable::found(const std::string& name) {
  if (tool.is_opal) {
    const auto variable = opal_variable(name);
    if (!variable || !variable->is_int || opal_value(variable->index) == nullptr) return std::nullopt;
    return ControlVariable(name, variable->index, nullptr, variable->is_writable);
  }
  const auto index = index_of(name);
  const auto info = index ? info_of(*index) : std::nullopt;
  if (!info || info->binding != MPI_T_BIND_NO_OBJECT || info->type != handles.int_) return std::nullopt;
  int count = 0;
  const auto handle = handle_of(*index, count);
  if (!handle || count != 1) return std::nullopt;
  const bool writable = info->scope != MPI_T_SCOPE_CONSTANT && info->scope != MPI_T_SCOPE_READONLY;
  return ControlVariable(name, *index, *handle, writable);
}

std::string ControlVariable::text(const std::string& name) {
  if (tool.is_opal) {
    const auto variable = opal_variable(name);
    const void* const storage = variable && variable->is_text ? opal_value(variable->index) : nullptr;
    const char* const text = storage != nullptr ? *static_cast<const char* const*>(storage) : nullptr;
    return text != nullptr ? text : "";
  }
  const auto index = index_of(name);
  const auto info = index ? info_of(*index) : std::nullopt;
  if (!info || info->type != handles.char_) return {};
  int length = 0;
  const auto handle = handle_of(*index, length);
  if (!handle || length < 1 || length > longest) return {};
  std::string text(static_cast<std::size_t>(length) + 1, '\0');
  if (tool.cvar_read(*handle, text.data()) != MPI_SUCCESS) return {};
  text.resize(text.find('\0'));
  return text;
}

int ControlVariable::read() const {
  if (handle_ == nullptr) return *static_cast<const int*>(opal_value(index_));
  int value = 0;
  tool.cvar_read(static_cast<MPI_T_cvar_handle>(handle_), &value);
  return value;
}

bool ControlVariable::write(int value) const {
  if (handle_ == nullptr) return set_opal_value(index_, value);
  return tool.cvar_write(static_cast<MPI_T_cvar_handle>(handle_), &value) == MPI_SUCCESS;
}

std::string ControlVariable::description() const {
  if (handle_ == nullptr) return opal_variable(name_).value_or(OpalVariable{}).description;
  const auto info = info_of(index_);
  return info ? info->description : std::string();
}

std::vector<std::pair<int, std::string>> ControlVariable::enumeration() const {
  if (handle_ == nullptr) return opal_variable(name_).value_or(OpalVariable{}).values;
  std::vector<std::pair<int, std::string>> found;
  const auto info = info_of(index_);
  if (!info || info->values == MPI_T_ENUM_NULL) return found;
  int count = 0;
  std::array<char, longest> name{};
  int length = longest;
  tool.enum_get_info(info->values, &count, name.data(), &length);
  for (int i = 0; i < count; ++i) {
    int value = 0;
    length = longest;
    if (tool.enum_get_item(info->values, i, &value, name.data(), &length) == MPI_SUCCESS)
      found.emplace_back(value, name.data());
  }
  return found;
}

#endif

}  // namespace starling
