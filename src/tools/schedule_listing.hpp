#pragma once

#include <nlohmann/json.hpp>

#include <span>
#include <string_view>

namespace starling {

/// What each rank does in one candidate: the schedules of all ranks (docs/schedules.md). `words` are COLLECTIVE:NAME
/// RANKS [ROOT] [BLOCKS]. Without BLOCKS the vector is the shortest one of which the candidate makes at least four
/// blocks, or the shortest it serves. Throws std::invalid_argument, with one sentence for people, where there is no
/// such thing.
nlohmann::ordered_json schedule_listing(std::span<const std::string_view> words);

}  // namespace starling
