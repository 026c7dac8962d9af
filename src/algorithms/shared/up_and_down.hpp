#pragma once

#include "algorithms/algorithm.hpp"
#include "algorithms/shared/trees.hpp"

namespace starling {

/// Combines vectors block by block up a tree to its root, and sends each block down a tree with the same root as soon
/// as the root has it, while the next ones come up. Both know their depths, and may be one. No rank of `up` is more
/// than `height` levels below the root, which is the same number on all ranks.
Schedule up_and_down(const Team& team, const TreePlace& up, int height, const TreePlace& down);

}  // namespace starling
