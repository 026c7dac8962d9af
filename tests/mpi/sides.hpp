#pragma once

#include <mpi.h>

#include <algorithm>
#include <vector>

#include "calls.hpp"
#include "images.hpp"
#include "layouts.hpp"

/// How the blocks of one side of a collective lie in its buffer. `one_by_one`: as `equal`, but a type never holds a
/// whole block.
enum class Placement { equal, one_by_one, varying, each_its_type };

/// One side of a collective on this rank: its data twice, for the call under test and for the reference, and its
/// description.
struct Side {
  Image tested;
  Image reference;
  Part part;
  bool bottom = false;  ///< described with MPI_BOTTOM

  /// The arguments for `image`, one of the two above.
  [[nodiscard]] Part given(Types& types, Image& image) const {
    Part to = part;
    to.buffer = image.address();
    if (!bottom) return to;
    to.type = types.absolute(part.type, image.address());
    to.buffer = MPI_BOTTOM;
    return to;
  }

  void fill(const Dice& dice) {
    tested.fill(dice);
    reference = tested;
  }
};

/// A side of blocks of `quanta[j]` * `quantum` items, described in a random way. With `plain` items are described one
/// by one, as reductions need.
inline Side make_side(Types& types, const Type& item, const std::vector<int>& quanta, int quantum, Placement placement,
                      bool plain, Dice& dice) {
  Side side;
  const auto describe_block = [&](int count, bool by_quantum) {
    return plain ? Description{count * quantum, item} : describe(types, item, count, quantum, by_quantum, dice);
  };
  side.bottom = !plain && placement != Placement::each_its_type && dice.one_in(8);
  const auto blocks = quanta.size();
  if (placement == Placement::equal || placement == Placement::one_by_one) {
    const auto [count, type] = describe_block(quanta.front(), placement == Placement::one_by_one);
    side.part.count = count;
    side.part.type = type.handle;
    for (std::size_t j = 0; j < blocks; ++j)
      side.tested.cover(static_cast<std::ptrdiff_t>(j) * count * type.extent, type, count);
    return side;
  }
  side.part.counts.resize(blocks);
  side.part.displacements.resize(blocks);
  side.part.types.resize(blocks);
  // Blocks lie in random order with gaps, as the standard lets an application place them.
  if (placement == Placement::varying) {
    const int largest = std::max(1, *std::max_element(quanta.begin(), quanta.end()));
    const auto [count, type] = describe_block(largest, true);
    const int factor = count / largest;
    side.part.type = type.handle;
    int place = dice.below(3);
    for (const int j : dice.permutation(static_cast<int>(blocks))) {
      const auto at = static_cast<std::size_t>(j);
      side.part.counts[at] = quanta[at] * factor;
      side.part.displacements[at] = place;
      side.tested.cover(place * type.extent, type, side.part.counts[at]);
      place += side.part.counts[at] + dice.below(3);
    }
    return side;
  }
  std::ptrdiff_t place = 0;
  for (const int j : dice.permutation(static_cast<int>(blocks))) {
    const auto at = static_cast<std::size_t>(j);
    const auto [count, type] = describe_block(quanta[at], false);
    std::ptrdiff_t low = 0;
    std::ptrdiff_t high = 0;
    for (const auto& piece : type.pieces) {
      low = std::min(low, piece.at);
      high = std::max(high, piece.at + static_cast<std::ptrdiff_t>(piece.kind->size));
    }
    place += (15 - low) / 16 * 16;
    side.part.counts[at] = count;
    side.part.displacements[at] = static_cast<int>(place);
    side.part.types[at] = type.handle;
    side.tested.cover(place, type, count);
    place += (count * std::max(type.extent, high) + high + 15) / 16 * 16 + 16 * dice.below(2);
  }
  return side;
}
