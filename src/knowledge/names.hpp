#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "knowledge/settings.hpp"
#include "schedule/collective.hpp"
#include "selection/forced_list.hpp"

namespace starling {

/// Follows the name of a function set of the program's own where settings name it, "ring.pattern": whether a program
/// has such a set is known only when it makes it.
inline constexpr std::string_view own_set = ".pattern";

/// The names a `forced` list may use: those of all ways, and of the library's function sets for patterns.
ForcedNames forced_names();

/// Why `name` is no candidate of `collective`, in words for people: what there is instead.
std::string why_unknown(Collective collective, std::string_view name);

/// Why a way that is an algorithm of the MPI library, and is not here, is not; empty for other ways.
std::string why_not_of_library(std::string_view name);

/// Whether the settings ask for algorithms of the MPI library, or name any.
bool wants_library_algorithms(const Settings& settings);
/// The same before settings are read: true where they may.
bool may_want_library_algorithms(const Environment& environment);

/// What to tell at the end of a run of function sets of the program's own that settings name: those for which
/// `was_there`, which gets the name without `own_set`, is false.
std::vector<std::string> sets_that_were_not_there(const Settings& settings,
                                                  const std::function<bool(std::string_view)>& was_there);

/// Complains of names in the settings for `only`, `except` and `strategy` that mean nothing, and of a strategy that
/// needs a tuning table and has none.
void check_names(const Settings& settings, std::vector<Complaint>& complaints);

}  // namespace starling
