#include "runtime/mpi/tool_variables.hpp"

#include <mpi.h>

#include <array>
#include <optional>

#include "runtime/mpi/features.hpp"
#include "runtime/mpi/flavour.hpp"
#include "runtime/mpi/pmpi.hpp"

namespace starling {

#if STARLING_SIMULATED

// SMPI has no tool interface.
std::unique_ptr<ControlVariables> tool_variables() {
  return nullptr;
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
};
Tool tool;

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
  if (tool.cvar_get_index(name.c_str(), &index) != MPI_SUCCESS) return std::nullopt;
  return index;
}

/// A handle of the variable for the process, which is never given back; nothing if the library gives none.
std::optional<MPI_T_cvar_handle> handle_of(int index, int& count) {
  MPI_T_cvar_handle handle{};
  count = 0;
  if (tool.cvar_handle_alloc(index, nullptr, &handle, &count) != MPI_SUCCESS) return std::nullopt;
  return handle;
}

class ToolVariable final : public ControlVariable {
 public:
  ToolVariable(int index, MPI_T_cvar_handle handle, bool is_writable)
      : index_(index), handle_(handle), is_writable_(is_writable) {}

  [[nodiscard]] bool is_writable() const override { return is_writable_; }

  [[nodiscard]] int read() const override {
    int value = 0;
    tool.cvar_read(handle_, &value);
    return value;
  }

  [[nodiscard]] bool write(int value) const override { return tool.cvar_write(handle_, &value) == MPI_SUCCESS; }

  [[nodiscard]] std::string description() const override {
    const auto info = info_of(index_);
    return info ? info->description : std::string();
  }

  [[nodiscard]] std::vector<std::pair<int, std::string> > enumeration() const override {
    std::vector<std::pair<int, std::string> > found;
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

 private:
  int index_;
  MPI_T_cvar_handle handle_;
  bool is_writable_;
};

class ToolVariables final : public ControlVariables {
 public:
  ToolVariables() = default;
  ~ToolVariables() override { tool.finalize(); }
  ToolVariables(const ToolVariables&) = delete;
  ToolVariables& operator=(const ToolVariables&) = delete;
  ToolVariables(ToolVariables&&) = delete;
  ToolVariables& operator=(ToolVariables&&) = delete;

  [[nodiscard]] std::shared_ptr<const ControlVariable> find(const std::string& name) const override {
    const auto index = index_of(name);
    const auto info = index ? info_of(*index) : std::nullopt;
    if (!info || info->binding != MPI_T_BIND_NO_OBJECT || info->type != handles.int_) return nullptr;
    int count = 0;
    const auto handle = handle_of(*index, count);
    if (!handle || count != 1) return nullptr;
    const bool is_writable = info->scope != MPI_T_SCOPE_CONSTANT && info->scope != MPI_T_SCOPE_READONLY;
    return std::make_shared<ToolVariable>(*index, *handle, is_writable);
  }

  [[nodiscard]] std::string text(const std::string& name) const override {
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
};

}  // namespace

std::unique_ptr<ControlVariables> tool_variables() {
  // Open MPI takes the level that is asked for as that of MPI itself, and tells it the program.
  int level = MPI_THREAD_SINGLE;
  pmpi.Query_thread(&level);
  int provided = 0;
  if (!found_functions() || tool.init_thread(level, &provided) != MPI_SUCCESS) return nullptr;
  return std::make_unique<ToolVariables>();
}

#endif

}  // namespace starling
