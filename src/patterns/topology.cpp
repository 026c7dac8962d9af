#include "patterns/topology.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <span>
#include <utility>

#include "runtime/contexts/communicator.hpp"
#include "runtime/contexts/setup.hpp"
#include "runtime/job/job.hpp"
#include "runtime/mpi/features.hpp"
#include "runtime/mpi/pmpi.hpp"
#include "runtime/mpi/process.hpp"

namespace starling::patterns {
namespace {

MPI_Comm checked(MPI_Comm comm) {
  int inter = 0;
  if (comm == handles.comm_null) throw Fault(Error::communicator, "the communicator is MPI_COMM_NULL");
  require(pmpi.Comm_test_inter(comm, &inter), "MPI_Comm_test_inter");
  if (inter != 0)
    throw Fault(Error::communicator, "the communicator is an intercommunicator; use one of a single group");
  return comm;
}

int rank_of(MPI_Comm comm) {
  int rank = 0;
  require(pmpi.Comm_rank(comm, &rank), "MPI_Comm_rank");
  return rank;
}

int ranks_of(MPI_Comm comm) {
  int ranks = 0;
  require(pmpi.Comm_size(comm, &ranks), "MPI_Comm_size");
  return ranks;
}

int topology_of(MPI_Comm comm) {
  int kind = MPI_UNDEFINED;
#if STARLING_HAS_TOPO_TEST
  require(pmpi.Topo_test(checked(comm), &kind), "MPI_Topo_test");
#else
  int dimensions = 0;
  if (pmpi.Cartdim_get(checked(comm), &dimensions) == MPI_SUCCESS) kind = MPI_CART;
#endif
  return kind;
}

struct Grid {
  std::vector<int> extents;
  std::vector<int> periods;
  std::vector<int> coordinates;
};

Grid grid_of(MPI_Comm comm) {
  if (topology_of(comm) != MPI_CART)
    throw Fault(Error::communicator, "the communicator is not Cartesian; MPI_Cart_create makes one");
  int dimensions = 0;
  require(pmpi.Cartdim_get(comm, &dimensions), "MPI_Cartdim_get");
  const auto count = static_cast<std::size_t>(dimensions);
  Grid grid{std::vector<int>(count), std::vector<int>(count), std::vector<int>(count)};
  require(pmpi.Cart_get(comm, dimensions, grid.extents.data(), grid.periods.data(), grid.coordinates.data()),
          "MPI_Cart_get");
  return grid;
}

/// The rank at coordinates that may lie outside; MPI_PROC_NULL for none.
int rank_at(MPI_Comm comm, const Grid& grid, std::vector<int> place) {
  for (std::size_t i = 0; i < place.size(); ++i)
    if (grid.periods[i] == 0 && (place[i] < 0 || place[i] >= grid.extents[i])) return MPI_PROC_NULL;
  int rank = MPI_PROC_NULL;
  require(pmpi.Cart_rank(comm, place.data(), &rank), "MPI_Cart_rank");
  return rank;
}

using Diagonal = std::array<int, 3>;
constexpr auto diagonals_of_plane = std::to_array<Diagonal>({{1, 1, 0}, {-1, 1, 0}});
constexpr auto diagonals_of_space =
    std::to_array<Diagonal>({{1, 1, 0}, {1, -1, 0}, {1, 0, 1}, {0, -1, 1}, {-1, 0, 1}, {0, 1, 1}});

std::span<const Diagonal> diagonals(int dimensions) {
  if (dimensions == 2) return diagonals_of_plane;
  return dimensions == 3 ? std::span<const Diagonal>(diagonals_of_space) : std::span<const Diagonal>();
}

}  // namespace

void require(int error, const char* what) {
  if (error != MPI_SUCCESS) throw Fault(Error::mpi, std::string(what) + " returned an error");
}

int cartesian_pairs(int dimensions, bool corners) {
  return dimensions + (corners ? static_cast<int>(diagonals(dimensions).size()) : 0);
}

std::vector<Sides> cartesian_sides(MPI_Comm comm, bool corners) {
  const Grid grid = grid_of(comm);
  const auto dimensions = grid.extents.size();
  std::vector<Sides> sides;
  const auto add = [&](std::span<const int> step) {
    std::vector<int> left = grid.coordinates;
    std::vector<int> right = grid.coordinates;
    for (std::size_t i = 0; i < dimensions; ++i) {
      left[i] -= step[i];
      right[i] += step[i];
    }
    sides.push_back({rank_at(comm, grid, std::move(left)), rank_at(comm, grid, std::move(right))});
  };
  for (std::size_t i = 0; i < dimensions; ++i) {
    std::vector<int> step(dimensions, 0);
    step[i] = 1;
    add(step);
  }
  if (corners)
    for (const Diagonal& one : diagonals(static_cast<int>(dimensions))) add(one);
  return sides;
}

Topology::Topology(MPI_Comm comm)
    : comm_(checked(comm)),
      rank_(rank_of(comm)),
      ranks_(ranks_of(comm)),
      in_world_(ranks_in_world(comm, ranks_)),
      resources_(comm, rank_, ranks_) {
  if (!job().running) return;
  const Setup& now = setup();
  places_ = places_of_ranks(in_world_);
  if (!now.platform) return;
  if (const auto hosts = values_of_ranks(in_world_, now.hosts)) tree_ = now.platform->tree(*hosts);
}

std::shared_ptr<Topology> Topology::plain(MPI_Comm comm) {
  return std::shared_ptr<Topology>(new Topology(comm));
}

std::shared_ptr<Topology> Topology::cartesian(MPI_Comm comm, bool corners) {
  const Grid grid = grid_of(comm);
  auto made = plain(comm);
  made->dimensions_ = static_cast<int>(grid.extents.size());
  made->coordinates_ = grid.coordinates;
  made->readings_[0] = cartesian_sides(comm, false);
  made->corners_ = corners;
  made->cartesian_ = true;
  made->add_neighbours();
  return made;
}

std::shared_ptr<Topology> Topology::grid(std::vector<Sides> sides, std::vector<int> coordinates, Direction direction,
                                         bool corners, MPI_Comm comm) {
  return grid(Readings{std::move(sides), {}}, std::move(coordinates), direction, corners, comm);
}

std::shared_ptr<Topology> Topology::grid(Readings readings, std::vector<int> coordinates, Direction direction,
                                         bool corners, MPI_Comm comm) {
  auto made = plain(comm);
  std::optional<int> stranger;
  for (std::vector<Sides>& sides : readings) {
    const auto is_of_comm = [&](int rank) {
      const bool is = rank == MPI_PROC_NULL || (rank >= 0 && rank < made->ranks_);
      if (!is && !stranger) stranger = rank;
      return is;
    };
    if (!std::all_of(sides.begin(), sides.end(),
                     [&](const Sides& one) { return is_of_comm(one.left) && is_of_comm(one.right); }))
      sides.clear();
    made->dimensions_ = std::max(made->dimensions_, static_cast<int>(sides.size()));
  }
  if (stranger && made->dimensions_ == 0)
    throw Fault(Error::argument, "a neighbour is rank " + std::to_string(*stranger) + ", and the communicator has " +
                                     std::to_string(made->ranks_) + " ranks; MPI_PROC_NULL is no neighbour");
  made->readings_ = std::move(readings);
  made->add_neighbours();
  made->coordinates_ = std::move(coordinates);
  made->corners_ = corners;
  made->direction_ = direction;
  return made;
}

void Topology::add_neighbours() {
  for (const Sides& one : likelier()) {
    for (const int rank : {one.left, one.right}) {
      sources_.push_back(rank);
      targets_.push_back(rank);
    }
  }
}

std::shared_ptr<Topology> Topology::graph(MPI_Comm comm) {
  const int kind = topology_of(comm);
  auto made = plain(comm);
  if (kind == MPI_DIST_GRAPH) {
    int sources = 0;
    int targets = 0;
    int weighted = 0;
    require(pmpi.Dist_graph_neighbors_count(comm, &sources, &targets, &weighted), "MPI_Dist_graph_neighbors_count");
    made->sources_.resize(static_cast<std::size_t>(sources));
    made->targets_.resize(static_cast<std::size_t>(targets));
    std::vector<int> weights_in(made->sources_.size());
    std::vector<int> weights_out(made->targets_.size());
    require(pmpi.Dist_graph_neighbors(comm, sources, made->sources_.data(), weights_in.data(), targets,
                                      made->targets_.data(), weights_out.data()),
            "MPI_Dist_graph_neighbors");
  } else if (kind == MPI_GRAPH) {
    int count = 0;
    require(pmpi.Graph_neighbors_count(comm, made->rank_, &count), "MPI_Graph_neighbors_count");
    made->sources_.resize(static_cast<std::size_t>(count));
    require(pmpi.Graph_neighbors(comm, made->rank_, count, made->sources_.data()), "MPI_Graph_neighbors");
    made->targets_ = made->sources_;
  } else {
    throw Fault(Error::communicator, "the communicator has no graph; MPI_Dist_graph_create_adjacent makes one");
  }
  return made;
}

std::string Topology::described() const {
  const std::string start = "rank " + std::to_string(rank_) + " of " + std::to_string(ranks_);
  std::string text = start + ": " + std::to_string(dimensions_) + " dimensions";
  if (corners_) text += " with corners";
  text += '\n';
  for (std::size_t i = 0; i < coordinates_.size(); ++i)
    text += start + ": coordinate " + std::to_string(i) + " is " + std::to_string(coordinates_[i]) + "\n";
  const auto named = [](int rank) { return rank == MPI_PROC_NULL ? std::string("none") : std::to_string(rank); };
  const std::vector<Sides>& sides = likelier();
  for (std::size_t i = 0; i < sides.size(); ++i)
    text += start + ": neighbours " + std::to_string(i) + " are " + named(sides[i].left) + " on the left and " +
            named(sides[i].right) + " on the right\n";
  return text;
}

}  // namespace starling::patterns
