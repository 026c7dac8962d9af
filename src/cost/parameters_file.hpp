#pragma once

#include <string>

#include "cost/parameters.hpp"

namespace starling {

/// Reads a file of parameters (docs/cost-model.md); what it leaves out has its default. Throws std::runtime_error with
/// one sentence that says what is wrong where.
CostParameters parameters_from_json(const std::string& text);

/// The same as a file's text, all of it written out.
std::string as_json(const CostParameters& parameters);

}  // namespace starling
