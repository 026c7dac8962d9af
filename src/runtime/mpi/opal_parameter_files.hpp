#pragma once

#include <string>
#include <string_view>

namespace starling {

/// A parameter whose name begins so, and the file that sets it, "NAME in FILE", among Open MPI's files of parameters:
/// the user's, that of the installation, or those that the user names. Empty if there is none. To be asked before
/// MPI_Init, which reads them.
std::string parameter_in_files(std::string_view prefix);

}  // namespace starling
