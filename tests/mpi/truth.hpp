#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <vector>

#include "layouts.hpp"

/// Contiguous items.
using Data = std::vector<std::byte>;

/// The data of rank `from` for rank `to` in one call: every rank can draw it, so results are known without messages.
inline Data drawn(const Type& item, int items, std::uint64_t seed, int from, int to) {
  Dice dice{seed, static_cast<std::uint64_t>(from), static_cast<std::uint64_t>(to)};
  Data data(static_cast<std::size_t>(items * item.extent));
  for (int i = 0; i < items; ++i)
    for (const auto& piece : item.pieces) piece.kind->draw(data.data() + i * item.extent + piece.at, dice);
  return data;
}

/// Combines the next rank's data with that of the ranks before it, by an operator that need not commute.
inline void combine(Data& sum, Data next, const Type& item, MPI_Op op) {
  if (!next.empty())
    PMPI_Reduce_local(sum.data(), next.data(), static_cast<int>(sum.size()) / static_cast<int>(item.extent),
                      item.handle, op);
  sum = std::move(next);
}

inline Data part_of(const Data& data, const Type& item, int first, int items) {
  const auto begin = data.begin() + first * item.extent;
  return {begin, begin + items * item.extent};
}
