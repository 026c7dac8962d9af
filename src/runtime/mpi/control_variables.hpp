#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace starling {

/// Starts and ends MPI's tool interface (MPI_T), after MPI_Init and before MPI_Finalize, or what the library has in its
/// place that costs less (opal_variables.hpp). Nothing below works before it is started. False if the library has none.
bool start_control_variables();
void stop_control_variables();

/// A control variable of the MPI library, of type int and for the whole process. A copy is the same variable.
class ControlVariable {
 public:
  /// Nothing if the library has no such variable, or it is of another kind. Looked up once.
  static std::optional<ControlVariable> find(const std::string& name);
  /// The text of a variable that is one; empty if there is none.
  static std::string text(const std::string& name);

  /// Whether it can be written at all.
  [[nodiscard]] bool is_writable() const { return writable_; }
  [[nodiscard]] int read() const;
  /// Acts on this process only. False if the library refuses it.
  [[nodiscard]] bool write(int value) const;
  /// What the library says of it.
  [[nodiscard]] std::string description() const;
  /// The values that the library has names for; empty if it does not enumerate them.
  [[nodiscard]] std::vector<std::pair<int, std::string>> enumeration() const;

 private:
  static std::optional<ControlVariable> found(const std::string& name);
  ControlVariable(std::string name, int index, void* handle, bool writable)
      : name_(std::move(name)), index_(index), handle_(handle), writable_(writable) {}

  std::string name_;
  int index_;
  void* handle_;  ///< an MPI_T_cvar_handle, a pointer in every library; null if opal_variables.hpp reaches it
  bool writable_;
};

}  // namespace starling
