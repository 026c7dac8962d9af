#pragma once

#include "schedule/schedule.hpp"

namespace starling {

/// Combines slots 0, 1, ..., `count` - 1 of `from` into recv block `into`, in the order of the slots.
inline void combine_in_order(Schedule& todo, Buffer from, int count, int into) {
  todo.copy(at(from, count - 1), recvbuf(into));
  for (int slot = count - 2; slot >= 0; --slot) todo.combine(at(from, slot), recvbuf(into));
}

}  // namespace starling
