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
};

inline constexpr std::array<std::string_view, 17> collective_names{
    "allgather", "allgatherv", "allreduce", "alltoall", "alltoallv", "alltoallw",      "barrier",
    "bcast",     "exscan",     "gather",    "gatherv",  "reduce",    "reduce_scatter", "reduce_scatter_block",
    "scan",      "scatter",    "scatterv"};

inline constexpr int collective_count = static_cast<int>(collective_names.size());

constexpr std::string_view name_of(Collective collective) {
  return collective_names[static_cast<std::size_t>(collective)];
}

/// The collective of that name, or nothing.
constexpr std::optional<Collective> collective_named(std::string_view name) {
  for (std::size_t i = 0; i < collective_names.size(); ++i)
    if (collective_names[i] == name) return static_cast<Collective>(i);
  return std::nullopt;
}

/// True where the collective applies an operator.
constexpr bool reduces(Collective collective) {
  switch (collective) {
    case Collective::allreduce:
    case Collective::exscan:
    case Collective::reduce:
    case Collective::reduce_scatter:
    case Collective::reduce_scatter_block:
    case Collective::scan: return true;
    default: return false;
  }
}

/// True where one rank, the root, has a part of its own.
constexpr bool rooted(Collective collective) {
  switch (collective) {
    case Collective::bcast:
    case Collective::gather:
    case Collective::gatherv:
    case Collective::reduce:
    case Collective::scatter:
    case Collective::scatterv: return true;
    default: return false;
  }
}

/// True where the data is one vector that an algorithm may divide into blocks as it likes.
/// In the others there is one block for each rank, and the caller says how large; see also `parts_of_a_block`.
constexpr bool divides_a_vector(Collective collective) {
  switch (collective) {
    case Collective::allreduce:
    case Collective::bcast:
    case Collective::exscan:
    case Collective::reduce:
    case Collective::scan: return true;
    default: return false;
  }
}

/// True where an algorithm may divide the block of each rank in parts, all ranks' blocks alike: then block i * n + j of
/// the call is part j of rank i's block.
constexpr bool divides_blocks(Collective collective) {
  switch (collective) {
    case Collective::allgather:
    case Collective::alltoall:
    case Collective::gather:
    case Collective::scatter: return true;
    default: return false;
  }
}

/// How many parts each rank's block has in a call on `ranks` ranks that is divided into `blocks` blocks.
constexpr int parts_of_a_block(Collective collective, int ranks, int blocks) {
  return divides_blocks(collective) ? blocks / ranks : 1;
}

}  // namespace starling
