#include "schedule/placement.hpp"

#include <stdexcept>
#include <string>

namespace starling {

Blocks Placing::blocks(Blocks of_part) const {
  if (of_part.count == 0) return nothing();
  const Origin* origin = of_part.buffer == Buffer::send ? &placement_.send : &placement_.recv;
  if (of_part.buffer >= Buffer::scratch) origin = &scratch_.at(scratch_index(of_part.buffer));
  const int first = origin->start(of_part.first);
  const int count = origin->start(of_part.first + of_part.count) - first;
  return count == 0 ? nothing() : Blocks{origin->buffer, first, count};
}

int Placing::scale() const {
  const Origin& sizes = placement_.sizes ? *placement_.sizes : placement_.recv;
  if (!sizes.starts.empty()) throw std::logic_error("append: a part whose blocks differ calls the MPI library");
  return sizes.scale;
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
