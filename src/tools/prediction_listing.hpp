#pragma once

#include <nlohmann/json.hpp>

#include <span>
#include <string_view>

namespace starling {

/// What the cost model says of every candidate of a collective (docs/cost-model.md), the quickest first, those of which
/// it says nothing at the end. `words` are PLATFORM RANKS COLLECTIVE BYTES [ROOT] [PARAMETERS], of which PLATFORM and
/// PARAMETERS are files. Ranks are placed on the hosts in the order of the platform file. Throws std::invalid_argument,
/// with one sentence for people, where that makes no sense.
nlohmann::ordered_json prediction_listing(std::span<const std::string_view> words);

}  // namespace starling
