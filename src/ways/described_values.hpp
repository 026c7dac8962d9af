#pragma once

#include <string>
#include <vector>

namespace starling {

/// The names of a variable's values in its description, as in MPICH's "auto - chosen inside\nring - ...", in their
/// order, which is that of their numbers, from 0. Some versions leave out what separates two entries. Empty if one of
/// them is not a lower-case word: then nothing is known of their numbers.
std::vector<std::string> names_in_description(const std::string& description);

}  // namespace starling
