#pragma once

#include <optional>

#include "schedule/blocks.hpp"
#include "schedule/rank_set.hpp"

namespace starling {

/// Where a part's buffer lies in the whole: its block 0 at `blocks.first`, each of its blocks being `scale` blocks
/// there.
struct Origin {
  Buffer buffer;
  int first = 0;
  int scale = 1;
};

/// How a part fits into a whole schedule: its two buffers, and its ranks among the whole's, by default the same ranks.
struct Placement {
  Origin send;
  Origin recv;
  RankSet ranks = RankSet::everyone();
  /// Whose slots tell how large the part's blocks are: slot `first` and on. By default those of `recv`, which is right
  /// where the part's recv holds all of its blocks; a part that ends with one block (reduce_scatter, scatter) must name
  /// another.
  std::optional<Origin> sizes{};
};

/// What a placement makes of the blocks and ranks that a part's steps name.
class Placing {
 public:
  /// The part's scratch buffers come after the `scratch_before` of the whole.
  Placing(const Placement& placement, std::size_t scratch_before)
      : placement_(placement),
        scratch_before_(scratch_before),
        scale_(placement.sizes.value_or(placement.recv).scale) {}

  /// Blocks of the whole for one block of the part.
  [[nodiscard]] int scale() const { return scale_; }
  [[nodiscard]] Blocks blocks(Blocks of_part) const;
  /// Throw std::out_of_range for a rank that the placement does not give the part.
  [[nodiscard]] int rank(int of_part) const;
  [[nodiscard]] RankSet ranks(const RankSet& of_part) const;

 private:
  const Placement& placement_;
  std::size_t scratch_before_;
  int scale_;
};

}  // namespace starling
