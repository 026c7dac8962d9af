#pragma once

#include <unordered_map>
#include <vector>

#include "schedule/blocks.hpp"
#include "schedule/collective.hpp"
#include "schedule/layout.hpp"
#include "schedule/rank_set.hpp"
#include "schedule/steps/wait.hpp"

namespace starling {

class Binder;
class Placing;
class RanksAtWork;
class SubCollectiveRule;
struct FlatSchedule;

/// A collective of the MPI library on a group of ranks. `from` and `into` are its send and receive buffers; where the
/// collective has one block for each rank, that block is `scale` blocks here. `root` counts within the group.
struct SubCollective {
  Collective collective;
  RankSet group;
  int root;
  int scale;
  Blocks from;
  Blocks into;

  /// It takes other ranks, whatever it moves.
  [[nodiscard]] static constexpr bool empty() { return false; }
  /// The same as a step of a whole of which this is a part.
  [[nodiscard]] SubCollective placed(const Placing& where) const;

  /// The next sub-collective of a flat schedule.
  struct Flat {};
  [[nodiscard]] Flat flattened(FlatSchedule& into_schedule) const;

  using Rule = SubCollectiveRule;
};

/// A sub-collective of a program.
struct NativePart {
  Collective collective;
  RankSet group;
  int root;
  Extent from;
  Extent into;
};

void bind(const SubCollective::Flat& step, Binder& binder);

/// All members of the group join it, with the same collective, root and scale, and it does to their buffers what the
/// MPI library would do.
class SubCollectiveRule {
 public:
  explicit SubCollectiveRule(RanksAtWork& all) : all_(all) {}
  /// Comes to it; true if the rank was the last of the members, so that it is done. Throws Mistake.
  bool begin(int rank, const SubCollective& step);
  /// What the rank waits for.
  [[nodiscard]] Wait wait_of(int rank, const SubCollective& step) const;

 private:
  struct Come {
    int rank;
    const SubCollective* step;
  };
  void must_agree(int rank, const SubCollective& step, const Come& other) const;
  void order(const SubCollective& step) const;

  RanksAtWork& all_;
  std::unordered_map<RankSet, std::vector<Come>, RankSet::Hash> come_;  ///< members that wait, by group
};

}  // namespace starling
