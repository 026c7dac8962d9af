#pragma once

#include <string>
#include <vector>

namespace starling {

/// One sentence for each STARLING_* variable that nothing reads, with the name that was meant as far as it can be told.
/// `environment` is a list like `environ`, which ends with a null pointer.
std::vector<std::string> unknown_variables(const char* const* environment);

}  // namespace starling
