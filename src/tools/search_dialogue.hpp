#pragma once

#include <iosfwd>
#include <string_view>

namespace starling {

/// Lets a strategy search among candidates that somebody else measures, line by line in JSON: the first line that comes
/// in is a list of candidates, objects with `name` and `attributes`. Out goes `{"try": NAME}`, in comes the seconds
/// that it took, or null where it failed; and so on until the strategy has chosen: `{"chosen": NAME, "why": ...}`. The
/// strategy's settings are the STARLING_* variables. The end of the input ends it. Throws std::invalid_argument where
/// there is no such strategy, and for lines that are not understood.
void search_dialogue(std::string_view strategy, std::istream& in, std::ostream& out);

}  // namespace starling
