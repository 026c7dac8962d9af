#pragma once

#include <span>
#include <string>

#include "knowledge/settings.hpp"
#include "runtime/call/facts.hpp"
#include "selection/candidates.hpp"
#include "selection/strategy.hpp"
#include "ways/way.hpp"

namespace starling {

/// Why a way is refused for calls like this, this strategy and these settings; empty if it is not. For all sizes of the
/// key: of a bucket, its smallest and its largest are tested.
std::string refusal_here(const Way& way, const Facts& facts, const Settings& settings, const StrategyKind& strategy);

/// The candidates that `ways` are, of which the first, native, is never refused; nothing is said of earlier runs. With
/// a strategy that chooses among all ways, or among native alone, the latest answers are kept: programs make many
/// communicators of one shape. Settings are then those of the run.
Candidates candidates_here(std::span<const Way> ways, const Facts& facts, const Settings& settings,
                           const StrategyKind& strategy);

}  // namespace starling
