#pragma once

#include <cstdint>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "schedule/blocks.hpp"
#include "schedule/collective.hpp"
#include "schedule/layout.hpp"
#include "schedule/rank_set.hpp"
#include "schedule/steps/wait.hpp"

namespace starling {

class Placing;
class RanksAtWork;
class SubCollectiveRule;
struct Binder;
struct Drawing;
struct FlatSchedule;
struct Step;

/// A sub-collective of a program. Where members have a block each and these are not all of one size, it is the variant
/// of the collective that takes the members' counts (MPI_Gatherv for a gather, MPI_Reduce_scatter for a
/// reduce_scatter_block). All together must be few enough for MPI to count them in an int.
struct NativePart {
  Collective collective;
  RankSet group;
  int root;
  Extent from;
  Extent into;
  bool uneven = false;
  /// Where `shares` of the program has the units of each member's block, followed by where each starts; only where
  /// `uneven`, on ranks that have the blocks of all.
  std::int32_t shares = 0;
};

/// A collective of the MPI library on a group of ranks. `from` and `into` are its send and receive buffers; where the
/// collective has one block for each rank, that block is `scale` blocks here, of the last member `short_by` fewer. In
/// an alltoall with such a member, both numbers are of what this member exchanges with each other one. `root` counts
/// within the group.
struct SubCollective {
  static constexpr std::string_view name = "native_part";

  Collective collective;
  RankSet group;
  int root;
  int scale;
  Blocks from;
  Blocks into;
  int short_by = 0;

  bool operator==(const SubCollective&) const = default;
  /// It takes other ranks, whatever it moves.
  [[nodiscard]] static constexpr bool empty() { return false; }
  [[nodiscard]] SubCollective placed(const Placing& where) const;
  [[nodiscard]] Drawing drawn() const;

  struct InSchedule {
    std::vector<SubCollective> subs;
    static auto arrays(auto& of) { return std::tie(of.subs); }
  };
  struct Flat {
    std::int32_t index;
    void bind(Binder& binder) const;
  };
  [[nodiscard]] Flat flattened(FlatSchedule& into_schedule) const;

  struct InProgram {
    std::vector<NativePart> natives;
    std::vector<int> shares;  ///< of native parts whose members have blocks of different sizes
    static auto arrays(auto& of) { return std::tie(of.natives, of.shares); }
    std::int32_t append(const InProgram& other, const Step& step, const RankSet& ranks);
  };

  using Rule = SubCollectiveRule;
};

/// All members of the group join it, with the same collective, root and shares, and it does to their buffers what the
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
