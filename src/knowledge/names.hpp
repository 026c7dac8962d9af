#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "knowledge/settings.hpp"
#include "schedule/collective.hpp"
#include "selection/forced_list.hpp"

namespace starling {

/// The names a `forced` list may use: those of all ways.
ForcedNames forced_names();

/// Why `name` is no candidate of `collective`, in words for people: what there is instead.
std::string why_unknown(Collective collective, std::string_view name);

/// Complains of names in the settings for `only`, `except` and `strategy` that mean nothing, and of a strategy that
/// needs a tuning table and has none.
void check_names(const Settings& settings, std::vector<Complaint>& complaints);

}  // namespace starling
