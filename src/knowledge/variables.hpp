#pragma once

#include <string>
#include <vector>

namespace starling {

/// One sentence for each STARLING_* variable that nothing reads, with the name that was meant as far as it can be told.
/// `environment` is a list like `environ`, which ends with a null pointer.
std::vector<std::string> unknown_variables(const char* const* environment);

/// Tells `starling run`, if that started the program, that it was said why there is no record: it says nothing more.
void record_explained();

}  // namespace starling
