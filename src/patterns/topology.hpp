#pragma once

#include <mpi.h>

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "patterns/handles.hpp"
#include "runtime/execution/resources.hpp"
#include "topology/places.hpp"
#include "topology/switch_tree.hpp"

namespace starling::patterns {

/// Which neighbours data goes to.
enum class Direction : std::uint8_t { both = 1, left_to_right = 2, right_to_left = 3 };

/// The two neighbours on opposite sides; MPI_PROC_NULL for none.
struct Sides {
  int left = MPI_PROC_NULL;
  int right = MPI_PROC_NULL;
};

/// Neighbours by dimension, in the two ways in which a program's lists can be read.
using Readings = std::array<std::vector<Sides>, 2>;

/// The ranks of a communicator, and who is whose neighbour.
class Topology {
 public:
  /// The grid of a Cartesian communicator.
  static std::shared_ptr<Topology> cartesian(MPI_Comm comm, bool corners);
  /// The grid whose neighbours are given, those of dimension i at place i; `coordinates` may be empty.
  static std::shared_ptr<Topology> grid(std::vector<Sides> sides, std::vector<int> coordinates, Direction direction,
                                        bool corners, MPI_Comm comm);
  /// The same where the program's lists can be read in two ways, which only the lists of all ranks decide between: the
  /// first way goes before. An empty reading is one that this rank's lists rule out.
  static std::shared_ptr<Topology> grid(Readings readings, std::vector<int> coordinates, Direction direction,
                                        bool corners, MPI_Comm comm);
  /// The neighbours of a communicator with a graph.
  static std::shared_ptr<Topology> graph(MPI_Comm comm);
  /// No neighbours.
  static std::shared_ptr<Topology> plain(MPI_Comm comm);

  [[nodiscard]] MPI_Comm comm() const { return comm_; }
  [[nodiscard]] int rank() const { return rank_; }
  [[nodiscard]] int ranks() const { return ranks_; }
  [[nodiscard]] int dimensions() const { return dimensions_; }
  /// Cells that lie diagonally have neighbours too.
  [[nodiscard]] bool has_corners() const { return corners_; }
  /// A Cartesian communicator has told the neighbours.
  [[nodiscard]] bool is_cartesian() const { return cartesian_; }
  [[nodiscard]] Direction direction() const { return direction_; }
  /// One of them is empty, or both where there are no dimensions, unless this rank's lists can be read in two ways.
  [[nodiscard]] const Readings& readings() const { return readings_; }
  [[nodiscard]] const std::vector<int>& coordinates() const { return coordinates_; }
  [[nodiscard]] const std::vector<int>& sources() const { return sources_; }
  [[nodiscard]] const std::vector<int>& targets() const { return targets_; }
  /// The ranks in MPI_COMM_WORLD; MPI_UNDEFINED for one of another world.
  [[nodiscard]] const std::vector<int>& in_world() const { return in_world_; }

  /// The nodes of the ranks, and the network between them; null where they are not known.
  [[nodiscard]] const Places* places() const { return places_ ? &*places_ : nullptr; }
  [[nodiscard]] const SwitchTree* tree() const { return tree_ ? &*tree_ : nullptr; }

  /// What requests on it share: a channel for agreements.
  [[nodiscard]] Resources& resources() { return resources_; }
  /// For the program: a few lines with its neighbours.
  [[nodiscard]] std::string described() const;

 private:
  explicit Topology(MPI_Comm comm);
  /// The first reading that is possible.
  [[nodiscard]] const std::vector<Sides>& likelier() const { return readings_[readings_[0].empty() ? 1 : 0]; }
  void add_neighbours();

  MPI_Comm comm_;
  int rank_;
  int ranks_;
  int dimensions_ = 0;
  bool corners_ = false;
  bool cartesian_ = false;
  Direction direction_ = Direction::both;
  Readings readings_;
  std::vector<int> coordinates_;
  std::vector<int> sources_;
  std::vector<int> targets_;
  std::vector<int> in_world_;
  std::optional<Places> places_;
  std::optional<SwitchTree> tree_;
  Resources resources_;
};

template <>
struct Noun<Topology> {
  static constexpr Kind kind = Kind::topology;
  static constexpr const char* name = "topology";
  static constexpr Error unknown = Error::topology;
};

/// The neighbours of this rank in a Cartesian communicator: those in each dimension, and with `corners` those of each
/// diagonal too, in two dimensions both and in three the six that lie in a plane.
std::vector<Sides> cartesian_sides(MPI_Comm comm, bool corners);
/// How many pairs of neighbours these are.
int cartesian_pairs(int dimensions, bool corners);

/// Ends with a Fault if MPI has returned an error.
void require(int error, const char* what);

}  // namespace starling::patterns
