#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace starling {

/// Processors of a machine: a bit for each.
using Processors = std::array<std::uint64_t, 64>;

/// Those on which the calling thread may run: fewer than the machine has where it is bound, or in a container.
Processors allowed_processors();

/// What a rank may use of its node's processors.
struct ProcessorShare {
  Processors allowed;  ///< none where it has its own, whatever others may use
  std::int64_t group;  ///< the same number for ranks that have processors together by a quota; 0: there is none
  std::int64_t quota;  ///< how many; 0 for a part of one
};

/// For each rank 1 where it has to share processors; else 0. It has to where more ranks of its node may use nothing but
/// what some rank may use than these processors are, or have a quota together that is smaller than they are many. So
/// have all whose processors overlap, by themselves or by others', if they are more than all these processors. Other
/// jobs do not count.
std::vector<int> sharing_processors(std::span<const int> nodes, std::span<const ProcessorShare> shares);

}  // namespace starling
