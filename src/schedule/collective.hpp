#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

namespace starling {

/// The blocking collectives of MPI that Starling knows by name.
enum class Collective : std::uint8_t {
  allgather,
  allgatherv,
  allreduce,
  alltoall,
  alltoallv,
  alltoallw,
  barrier,
  bcast,
  exscan,
  gather,
  gatherv,
  reduce,
  reduce_scatter,
  reduce_scatter_block,
  scan,
  scatter,
  scatterv,
  neighbor_allgather,
  neighbor_allgatherv,
  neighbor_alltoall,
  neighbor_alltoallv,
  neighbor_alltoallw,
};

/// What a buffer of a call holds, on the ranks that have one.
enum class Holds : std::uint8_t {
  nothing,
  block,   ///< the rank's own block
  blocks,  ///< a block for each rank
  vector,  ///< one vector, which an algorithm may divide into blocks as it likes
};

/// Whose buffers differ from those of the others.
enum class Root : std::uint8_t { none, gives, takes };

/// Which ranks know how large blocks are.
enum class Sizes : std::uint8_t {
  alike,        ///< every rank: all blocks are of one size, or parts of a vector
  known,        ///< every rank, though blocks differ
  at_root,      ///< the root all of them, every other rank its own
  of_each_pair  ///< each rank those that it sends and receives
};

/// What a collective has at whom.
struct Traits {
  std::string_view name;
  Holds send;
  Holds recv;
  Root root = Root::none;
  Sizes sizes = Sizes::alike;
  bool reduces = false;           ///< applies an operator
  bool among_neighbours = false;  ///< blocks are those of the rank's links in the communicator's topology
};

inline constexpr std::array<Traits, 22> traits{{
    {"allgather", Holds::block, Holds::blocks},
    {"allgatherv", Holds::block, Holds::blocks, Root::none, Sizes::known},
    {"allreduce", Holds::vector, Holds::vector, Root::none, Sizes::alike, true},
    {"alltoall", Holds::blocks, Holds::blocks},
    {"alltoallv", Holds::blocks, Holds::blocks, Root::none, Sizes::of_each_pair},
    {"alltoallw", Holds::blocks, Holds::blocks, Root::none, Sizes::of_each_pair},
    {"barrier", Holds::nothing, Holds::nothing},
    {"bcast", Holds::vector, Holds::vector, Root::gives},
    {"exscan", Holds::vector, Holds::vector, Root::none, Sizes::alike, true},
    {"gather", Holds::block, Holds::blocks, Root::takes},
    {"gatherv", Holds::block, Holds::blocks, Root::takes, Sizes::at_root},
    {"reduce", Holds::vector, Holds::vector, Root::takes, Sizes::alike, true},
    {"reduce_scatter", Holds::blocks, Holds::block, Root::none, Sizes::known, true},
    {"reduce_scatter_block", Holds::blocks, Holds::block, Root::none, Sizes::alike, true},
    {"scan", Holds::vector, Holds::vector, Root::none, Sizes::alike, true},
    {"scatter", Holds::blocks, Holds::block, Root::gives},
    {"scatterv", Holds::blocks, Holds::block, Root::gives, Sizes::at_root},
    {"neighbor_allgather", Holds::block, Holds::blocks, Root::none, Sizes::of_each_pair, false, true},
    {"neighbor_allgatherv", Holds::block, Holds::blocks, Root::none, Sizes::of_each_pair, false, true},
    {"neighbor_alltoall", Holds::blocks, Holds::blocks, Root::none, Sizes::of_each_pair, false, true},
    {"neighbor_alltoallv", Holds::blocks, Holds::blocks, Root::none, Sizes::of_each_pair, false, true},
    {"neighbor_alltoallw", Holds::blocks, Holds::blocks, Root::none, Sizes::of_each_pair, false, true},
}};

inline constexpr int collective_count = static_cast<int>(traits.size());

constexpr const Traits& traits_of(Collective collective) {
  return traits[static_cast<std::size_t>(collective)];
}

inline constexpr auto collective_names = [] {
  std::array<std::string_view, traits.size()> names;
  for (std::size_t i = 0; i < traits.size(); ++i) names[i] = traits[i].name;
  return names;
}();

constexpr std::string_view name_of(Collective collective) {
  return traits_of(collective).name;
}

/// The collective of that name, or nothing.
constexpr std::optional<Collective> collective_named(std::string_view name) {
  for (std::size_t i = 0; i < traits.size(); ++i)
    if (traits[i].name == name) return static_cast<Collective>(i);
  return std::nullopt;
}

/// True where the collective applies an operator.
constexpr bool reduces(Collective collective) {
  return traits_of(collective).reduces;
}

/// True where one rank, the root, has a part of its own.
constexpr bool rooted(Collective collective) {
  return traits_of(collective).root != Root::none;
}

/// True where ranks exchange data with their neighbours only: no schedule of the repository serves it.
constexpr bool is_among_neighbours(Collective collective) {
  return traits_of(collective).among_neighbours;
}

/// True where the data is one vector that an algorithm may divide into blocks as it likes.
/// In the others there is one block for each rank, and the caller says how large; see also `parts_of_a_block`.
constexpr bool divides_a_vector(Collective collective) {
  return traits_of(collective).recv == Holds::vector;
}

/// True where an algorithm may divide the block of each rank in parts, all ranks' blocks alike: then block i * n + j of
/// the call is part j of rank i's block.
constexpr bool divides_blocks(Collective collective) {
  const Traits& has = traits_of(collective);
  return !has.reduces && has.sizes == Sizes::alike && (has.send == Holds::blocks || has.recv == Holds::blocks);
}

/// True where every rank needs data from every other one, however it is carried out: none can end before all have
/// begun.
constexpr bool synchronises(Collective collective) {
  const Traits& has = traits_of(collective);
  return has.root == Root::none && has.sizes == Sizes::alike && collective != Collective::scan &&
         collective != Collective::exscan;
}

/// True where, as a rule, no rank can end before all have begun, though a caller may give some ranks nothing to wait
/// for: those that synchronise, and those in which blocks differ but every rank needs them all.
constexpr bool waits_for_all(Collective collective) {
  const Traits& has = traits_of(collective);
  return synchronises(collective) || (has.root == Root::none && has.sizes == Sizes::known);
}

/// True where every rank knows how large all blocks are.
constexpr bool all_know_sizes(Collective collective) {
  const Sizes sizes = traits_of(collective).sizes;
  return sizes == Sizes::alike || sizes == Sizes::known;
}

/// True where each rank knows the sizes only of blocks that it sends or receives itself.
constexpr bool has_sizes_of_pairs(Collective collective) {
  return traits_of(collective).sizes == Sizes::of_each_pair;
}

/// How many parts each rank's block has in a call on `ranks` ranks that is divided into `blocks` blocks.
constexpr int parts_of_a_block(Collective collective, int ranks, int blocks) {
  return divides_blocks(collective) ? blocks / ranks : 1;
}

}  // namespace starling
