#pragma once

#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

#include "schedule/blocks.hpp"
#include "schedule/rank_set.hpp"

namespace starling {

/// Where a part's buffer lies in the whole: its block 0 at `first`, each of its blocks being `scale` blocks there.
struct Origin {
  Buffer buffer;
  int first = 0;
  int scale = 1;
  /// Where the part's blocks are not all as many blocks of the whole: where each starts, counted from `first`, and the
  /// end of the last; `scale` counts for nothing then.
  std::vector<int> starts{};

  /// The block of the whole that block `block` of the part begins with.
  [[nodiscard]] int start(int block) const {
    return first + (starts.empty() ? block * scale : starts.at(static_cast<std::size_t>(block)));
  }
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
  /// What the slots there stand for, where these are not the blocks of the whole in their order: a block as large as
  /// each.
  std::vector<int> like{};
};

/// What a placement makes of the blocks and ranks that a part's steps name.
class Placing {
 public:
  /// `scratch` tells where the part's scratch buffers lie.
  Placing(const Placement& placement, std::vector<Origin> scratch)
      : placement_(placement), scratch_(std::move(scratch)) {}

  /// Blocks of the whole for one block of the part. Throws std::logic_error where these are not all as many.
  [[nodiscard]] int scale() const;
  [[nodiscard]] Blocks blocks(Blocks of_part) const;
  /// Throw std::out_of_range for a rank that the placement does not give the part.
  [[nodiscard]] int rank(int of_part) const;
  [[nodiscard]] RankSet ranks(const RankSet& of_part) const;

 private:
  const Placement& placement_;
  std::vector<Origin> scratch_;
};

}  // namespace starling
