#pragma once

#include <string_view>

namespace starling {

/// Whether a file of Open MPI's parameters sets one whose name begins so: the user's, that of the installation, or
/// those that the user names. To be asked before MPI_Init, which reads them.
bool parameter_files_set(std::string_view prefix);

}  // namespace starling
