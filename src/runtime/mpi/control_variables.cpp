#include "runtime/mpi/control_variables.hpp"

#include <functional>
#include <map>

#include "runtime/mpi/opal_variables.hpp"
#include "runtime/mpi/tool_variables.hpp"

namespace starling {
namespace {

struct Started {
  std::unique_ptr<ControlVariables> variables;  ///< null before and after
  std::map<std::string, std::shared_ptr<const ControlVariable>, std::less<>> known;
};
/// Never destroyed: a program may call MPI while its own statics are destroyed.
Started& started = *new Started;

}  // namespace

bool start_control_variables() {
  if (!started.variables) started.variables = opal_variables();
  if (!started.variables) started.variables = tool_variables();
  return started.variables != nullptr;
}

void stop_control_variables() {
  started.known.clear();
  started.variables.reset();
}

std::shared_ptr<const ControlVariable> control_variable(const std::string& name) {
  if (!started.variables) return nullptr;
  const auto [known, is_new] = started.known.try_emplace(name);
  if (is_new) known->second = started.variables->find(name);
  return known->second;
}

std::string text_of_control_variable(const std::string& name) {
  return started.variables ? started.variables->text(name) : std::string();
}

}  // namespace starling
