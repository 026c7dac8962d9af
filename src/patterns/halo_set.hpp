#pragma once

#include <memory>
#include <string>

#include "patterns/functions.hpp"

namespace starling::patterns {

/// Which halos are filled: all, or only those on one side of each dimension.
enum class HaloSides : std::uint8_t { all, left, right };

/// The exchange of halos on a grid, in every implementation of table 1 of Gabriel et al. 2008. `left`: data goes from
/// left to right, into the halos on the left.
std::shared_ptr<FunctionSet> halo_set(std::string name, HaloSides sides);

}  // namespace starling::patterns
