#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "algorithms/algorithm.hpp"

namespace starling {

/// Whether all rows of a mesh of two dimensions have equally many ranks.
enum class Rows : std::uint8_t { full, last_may_be_short };

/// The parameter `mesh`: every way to write the number of ranks as a product of two or three sides, "3x2" being 3 rows
/// of 2 ranks. `square` and `cube`, for any number of ranks, are the shapes with sides closest to each other. Where the
/// last row may be short, 5 ranks are a mesh of 3x2 too.
Parameter mesh_parameter(Rows rows = Rows::full);

/// Why the ranks do not form the mesh that the parameter names; empty if they do.
std::string mesh_parameter_refusal(const Situation& situation, const Parameters& with);

/// The same where the last row may be short.
std::string any_mesh_refusal(const Situation& situation, const Parameters& with);

/// Both where members have a block each, which may differ in size: MPI counts those in an int. Where these are reduced
/// the operator must commute, as MPICH needs it (Reduce_scatter).
std::string mesh_of_blocks_refusal(const Situation& situation, const Parameters& with);
std::string any_mesh_of_blocks_refusal(const Situation& situation, const Parameters& with);

/// Its sides: a rank is in one group along each.
int sides_of_mesh(const Parameters& with);

/// One rank's place in a mesh of all ranks, and the groups of ranks that are orthogonal to each other there (Hartmann,
/// Kühnemann, Rauber and Rünger, section 2). Ranks stand row by row: the last dimension is that of neighbouring ranks.
/// The leader group is the root's column. Where the last row is too short for that, it is the first column, so that a
/// rank is in one column and one row whatever the root; the first rank of the root's row then leads in its place.
class OrthogonalGroups {
 public:
  OrthogonalGroups(const Team& team, const Parameters& with);

  [[nodiscard]] int dimensions() const { return static_cast<int>(sides_.size()); }
  [[nodiscard]] int last() const { return dimensions() - 1; }
  [[nodiscard]] int side(int dimension) const { return sides_[static_cast<std::size_t>(dimension)]; }
  [[nodiscard]] int ranks() const { return ranks_; }
  [[nodiscard]] int rank() const { return rank_; }
  [[nodiscard]] int root() const { return root_; }
  /// The root, or the rank that leads in its place.
  [[nodiscard]] int leader() const { return leader_; }
  /// The ranks that differ from this one in `dimension` only: in a mesh of two dimensions its column (0) or row (1).
  [[nodiscard]] RankSet line(int dimension) const;
  /// This rank's place in its line.
  [[nodiscard]] int place(int dimension) const { return place_of(rank_, dimension); }
  /// The leader's place in its line.
  [[nodiscard]] int leader_place(int dimension) const { return place_of(leader_, dimension); }
  /// How many ranks differ from this one in `dimension` and later ones only, if no row is short: its plane, its row,
  /// itself. They are consecutive.
  [[nodiscard]] int part(int dimension) const;
  /// How many of them there are.
  [[nodiscard]] int ranks_of_part(int dimension) const { return std::min(part(dimension), ranks_ - first(dimension)); }
  /// How many ranks the last member of a line along `dimension` has fewer in its part of the mesh than the others.
  [[nodiscard]] int missing(int dimension) const { return dimension == 0 ? part(0) - ranks_ : 0; }
  /// The first of them.
  [[nodiscard]] int first(int dimension) const { return rank_ / part(dimension) * part(dimension); }
  /// Whether another rank leads in the root's place.
  [[nodiscard]] bool is_led_by_another() const { return leader_ != root_; }
  /// In a mesh of two dimensions.
  [[nodiscard]] bool is_in_roots_row() const { return place(0) == place_of(root_, 0); }
  /// The root's place in its row.
  [[nodiscard]] int roots_place() const { return place_of(root_, last()); }
  /// The first dimension from which on this rank stands where the leader stands; dimensions() if it differs in the
  /// last.
  [[nodiscard]] int reach() const { return reach_; }
  /// Whether this rank is in the leader group along `dimension`: it stands where the leader stands in all later ones.
  [[nodiscard]] bool leads(int dimension) const { return reach_ <= dimension + 1; }
  /// Whether it is its line's root, too.
  [[nodiscard]] bool heads(int dimension) const { return reach_ <= dimension; }

 private:
  [[nodiscard]] int place_of(int rank, int dimension) const { return rank / part(dimension + 1) % side(dimension); }

  std::vector<int> sides_;
  int ranks_;
  int rank_;
  int root_;
  int leader_;
  int reach_;
};

/// Where the blocks of consecutive ranks lie: that of rank `first` at the start of `buffer`, each of `scale` blocks.
struct BlocksOfRanks {
  Buffer buffer;
  int first = 0;
  int scale = 1;
  [[nodiscard]] Blocks of(int rank, int count) const { return at(buffer, (rank - first) * scale, count * scale); }
  /// Those of the ranks that are with this one in the mesh's part from `dimension` on.
  [[nodiscard]] Blocks of_part(const OrthogonalGroups& mesh, int dimension) const {
    return of(mesh.first(dimension), mesh.ranks_of_part(dimension));
  }
};

/// The vector goes from the root down the dimensions from `from` on, through leader groups, to all ranks.
void bcast_down(Schedule& todo, const OrthogonalGroups& mesh, int from, Blocks vector);

/// Sums of the vectors `own` go up the dimensions to `until`: the leaders there have them in `sum`, and others may use
/// that meanwhile; a root in whose place another rank leads has it in the end. The order of ranks is kept.
void reduce_up(Schedule& todo, const OrthogonalGroups& mesh, int until, Blocks own, Blocks sum);

/// Blocks go up the dimensions to `until`, where the leaders have those of their part of the mesh in `all`; a root in
/// whose place another rank leads has all of them in the end.
void gather_up(Schedule& todo, const OrthogonalGroups& mesh, int until, Blocks own, const BlocksOfRanks& all);

/// The reverse: the leaders' blocks go down the dimensions from `from` on.
void scatter_down(Schedule& todo, const OrthogonalGroups& mesh, int from, const BlocksOfRanks& all, Blocks own);

}  // namespace starling
