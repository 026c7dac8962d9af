#pragma once

#include <span>

#include "schedule/memory.hpp"
#include "schedule/schedule.hpp"
#include "schedule/symbols.hpp"

namespace starling {

/// One rank in a sub-collective that all members have come to.
struct Member {
  Memory* memory;
  const SubCollective* sub;
};

/// Throws Mistake where the MPI library could not do what the member with index `index` of the group asks for.
void must_be_possible(const Member& member, int index);

/// What a sub-collective does to the buffers of its members, given in the order of their group. Throws Mistake where
/// the MPI library could not do it. `uniform`: all blocks are equally large, without which members can't have a block
/// each.
void carry_out(std::span<const Member> members, bool uniform, Symbols& symbols);

}  // namespace starling
