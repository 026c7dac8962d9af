#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "algorithms/candidate.hpp"

namespace starling {

/// For each of `ways(collective, ranks)`, and of those that `wanted` is true of, a number that it has in common with
/// those that do the same; none for others. On two and three ranks many algorithms are one: all trees of two ranks are
/// one message, and a barrier between steps has nothing to part. From four ranks on hardly any two do the same: nothing
/// is compared, and nothing returned. Nor is what needs to know the network. Equal or different on all ranks. Each way
/// is looked at once, which takes about as long as to make its schedules.
std::vector<std::optional<int>> alike(Collective collective, int ranks, const std::function<bool(int)>& wanted);

}  // namespace starling
