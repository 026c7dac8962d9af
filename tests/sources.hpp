#pragma once

#include <filesystem>

namespace starling {

/// The folder of the sources. `__FILE__` does not tell it: a compiler cache makes that relative.
std::filesystem::path source_root();

}  // namespace starling
