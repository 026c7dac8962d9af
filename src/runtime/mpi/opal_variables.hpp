#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace starling {

/// What Open MPI says of one of its variables.
struct OpalVariable {
  int index = 0;
  bool is_int = false;
  bool is_text = false;
  bool is_writable = false;
  std::string description;
  std::vector<std::pair<int, std::string>> values;  ///< those with names; empty if it does not enumerate them
};

/// Whether the MPI library has the functions of Open MPI that its tool interface is made of. They see the variables of
/// the components in use. MPI_T_init_thread first loads all others: 12 ms of a rank's processor time, and a quarter of
/// a second in which all ranks wait where eight share a processor.
bool has_opal_variables();

/// Nothing if there is none of that name. Only where has_opal_variables(), like the following.
std::optional<OpalVariable> opal_variable(const std::string& name);

/// Where its value is stored now; null if Open MPI does not tell.
const void* opal_value(int index);

/// Acts on this process only. False if Open MPI refuses it.
bool set_opal_value(int index, int value);

}  // namespace starling
