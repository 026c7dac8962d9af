#include "schedule/placement.hpp"

#include <stdexcept>
#include <string>

namespace starling {

Blocks Placing::blocks(Blocks of_part) const {
  if (of_part.count == 0) return nothing();
  Origin origin = placement_.recv;
  if (of_part.buffer == Buffer::send) origin = placement_.send;
  if (of_part.buffer >= Buffer::scratch)
    origin = {static_cast<Buffer>(static_cast<std::size_t>(of_part.buffer) + scratch_before_), 0, scale_};
  return {origin.buffer, origin.first + (of_part.first * origin.scale), of_part.count * origin.scale};
}

int Placing::rank(int of_part) const {
  if (of_part < 0 || of_part >= placement_.ranks.size())
    throw std::out_of_range("append: the part talks to rank " + std::to_string(of_part) + " and is placed on " +
                            std::to_string(placement_.ranks.size()) + " ranks");
  return placement_.ranks.rank(of_part);
}

RankSet Placing::ranks(const RankSet& of_part) const {
  return placement_.ranks.at(of_part);
}

}  // namespace starling
