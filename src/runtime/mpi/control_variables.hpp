#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace starling {

/// A control variable of the MPI library, of type int and for the whole process.
class ControlVariable {
 public:
  ControlVariable() = default;
  virtual ~ControlVariable() = default;
  ControlVariable(const ControlVariable&) = delete;
  ControlVariable& operator=(const ControlVariable&) = delete;
  ControlVariable(ControlVariable&&) = delete;
  ControlVariable& operator=(ControlVariable&&) = delete;

  /// Whether it can be written at all.
  [[nodiscard]] virtual bool is_writable() const = 0;
  [[nodiscard]] virtual int read() const = 0;
  /// Acts on this process only. False if the library refuses it.
  [[nodiscard]] virtual bool write(int value) const = 0;
  /// What the library says of it.
  [[nodiscard]] virtual std::string description() const = 0;
  /// The values that the library has names for; empty if it does not enumerate them.
  [[nodiscard]] virtual std::vector<std::pair<int, std::string>> enumeration() const = 0;
};

/// A way to the variables of the MPI library: tool_variables.hpp, opal_variables.hpp.
class ControlVariables {
 public:
  ControlVariables() = default;
  virtual ~ControlVariables() = default;
  ControlVariables(const ControlVariables&) = delete;
  ControlVariables& operator=(const ControlVariables&) = delete;
  ControlVariables(ControlVariables&&) = delete;
  ControlVariables& operator=(ControlVariables&&) = delete;

  /// Null if the library has no such variable, or it is of another kind.
  [[nodiscard]] virtual std::shared_ptr<const ControlVariable> find(const std::string& name) const = 0;
  /// The text of a variable that is one; empty if there is none.
  [[nodiscard]] virtual std::string text(const std::string& name) const = 0;
};

/// After MPI_Init and before MPI_Finalize. Nothing is found before it is started, or after it has stopped. False if the
/// library has no variables.
bool start_control_variables();
void stop_control_variables();

/// As ControlVariables::find; looked up once.
std::shared_ptr<const ControlVariable> control_variable(const std::string& name);
/// As ControlVariables::text.
std::string text_of_control_variable(const std::string& name);

}  // namespace starling
