#pragma once

#include <cstdint>
#include <string_view>

#include "algorithms/candidate.hpp"
#include "ways/way.hpp"

namespace starling {

/// Turns a word of the command line into a number. Throws std::invalid_argument, with one sentence that names `what`,
/// unless it is one from `least` to `most`.
std::int64_t number_from(std::string_view what, std::string_view word, std::int64_t least, std::int64_t most);

/// The collective of that name. Throws std::invalid_argument where there is none.
Collective collective_from(std::string_view word);

/// The way of COLLECTIVE:NAME, as in bcast:chain?segment=8192. Throws std::invalid_argument where there is none.
Way way_from(std::string_view word);

}  // namespace starling
