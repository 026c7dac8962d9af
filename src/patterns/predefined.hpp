#pragma once

#include <memory>
#include <string>

#include "patterns/functions.hpp"

namespace starling::patterns {

/// The library's own function sets, by numbers that never change: programs are compiled with them. All are below this.
int predefined_count();
/// The name of a number: "neighborhood", "allreduce", "iallreduce"; empty for none.
std::string name_of_predefined(int number);
/// Null for none.
std::shared_ptr<FunctionSet> make_predefined(int number);

}  // namespace starling::patterns
