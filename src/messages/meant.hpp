#pragma once

#include <span>
#include <string_view>

namespace starling {

/// The known name that was probably meant by an unknown one; empty where none is near.
std::string_view meant(std::string_view name, std::span<const std::string_view> known);

}  // namespace starling
