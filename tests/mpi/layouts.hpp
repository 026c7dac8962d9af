#pragma once

#include <mpi.h>

#include <cstddef>
#include <string>
#include <vector>

#include "kinds.hpp"

/// A basic value inside a derived type, `at` bytes from the address that MPI is given.
struct Piece {
  std::ptrdiff_t at;
  const Kind* kind;
};

/// A datatype and its basic values, in the order of its type map.
struct Type {
  MPI_Datatype handle;
  std::vector<Piece> pieces;
  std::ptrdiff_t extent;
  std::string name;
};

/// Makes derived types and frees them all when it goes.
class Types {
 public:
  Types() = default;
  Types(const Types&) = delete;
  Types& operator=(const Types&) = delete;
  ~Types() {
    for (auto& handle : made_) PMPI_Type_free(&handle);
  }

  static Type basic(const Kind& kind) {
    return {kind.type, {{0, &kind}}, static_cast<std::ptrdiff_t>(kind.size), kind.name};
  }

  /// struct { int; double; }
  Type record() {
    const int lengths[]{1, 1};
    const MPI_Aint at[]{0, 8};
    const MPI_Datatype of[]{MPI_INT, MPI_DOUBLE};
    MPI_Datatype handle;
    PMPI_Type_create_struct(2, lengths, at, of, &handle);
    return keep(handle, {{0, &kind_of(MPI_INT)}, {8, &kind_of(MPI_DOUBLE)}}, "struct");
  }

  Type contiguous(const Type& of, int count) {
    MPI_Datatype handle;
    PMPI_Type_contiguous(count, of.handle, &handle);
    std::vector<Piece> pieces;
    for (int i = 0; i < count; ++i) add(pieces, of, i * of.extent);
    return keep(handle, std::move(pieces), "contiguous(" + std::to_string(count) + ", " + of.name + ")");
  }

  /// Every second place.
  Type strided(const Type& of, int count) {
    MPI_Datatype handle;
    PMPI_Type_vector(count, 1, 2, of.handle, &handle);
    std::vector<Piece> pieces;
    for (int i = 0; i < count; ++i) add(pieces, of, 2 * i * of.extent);
    return keep(handle, std::move(pieces), "vector(" + std::to_string(count) + ", " + of.name + ")");
  }

  /// Places in random order with gaps, half of them before the address that MPI is given.
  Type scattered(const Type& of, int count, Dice& dice) {
    std::vector<MPI_Aint> at;
    for (const int place : dice.permutation(count)) at.push_back((2 * place - count) * of.extent);
    MPI_Datatype handle;
    PMPI_Type_create_hindexed_block(count, 1, at.data(), of.handle, &handle);
    std::vector<Piece> pieces;
    for (const auto displacement : at) add(pieces, of, displacement);
    return keep(handle, std::move(pieces), "hindexed(" + std::to_string(count) + ", " + of.name + ")");
  }

  Type resized(const Type& of, std::ptrdiff_t lower_bound, std::ptrdiff_t extent) {
    MPI_Datatype handle;
    PMPI_Type_create_resized(of.handle, lower_bound, extent, &handle);
    return keep(handle, of.pieces, "resized(" + of.name + ")");
  }

  /// The same type with `address` in it, for use with MPI_BOTTOM.
  MPI_Datatype absolute(MPI_Datatype of, const void* address) {
    const int length = 1;
    MPI_Aint at;
    PMPI_Get_address(address, &at);
    MPI_Datatype handle;
    PMPI_Type_create_hindexed(1, &length, &at, of, &handle);
    PMPI_Type_commit(&handle);
    made_.push_back(handle);
    return handle;
  }

 private:
  static void add(std::vector<Piece>& pieces, const Type& of, std::ptrdiff_t displacement) {
    for (const auto& piece : of.pieces) pieces.push_back({piece.at + displacement, piece.kind});
  }

  Type keep(MPI_Datatype handle, std::vector<Piece> pieces, std::string name) {
    PMPI_Type_commit(&handle);
    made_.push_back(handle);
    MPI_Aint lower_bound;
    MPI_Aint extent;
    PMPI_Type_get_extent(handle, &lower_bound, &extent);
    return {handle, std::move(pieces), extent, std::move(name)};
  }

  std::vector<MPI_Datatype> made_;
};

/// Whether an item has padding.
inline bool padded(const Type& item) {
  int size;
  PMPI_Type_size(item.handle, &size);
  return size != item.extent;
}

/// `count` elements of `type`: one way to describe a block of items to MPI.
struct Description {
  int count;
  Type type;
};

/// Describes a block of `quanta` * `quantum` items in a random way of this rank's own. With `by_quantum`, one element
/// of the type holds one item or `quantum` of them, whatever `quanta` is.
inline Description describe(Types& types, const Type& item, int quanta, int quantum, bool by_quantum, Dice& dice) {
  const int items = quanta * quantum;
#ifdef MPICH_VERSION
  // MPICH 4.0 fails in some collectives where the ranks describe a message beyond its eager size differently.
  if (items * item.extent > 8192) return {items, item};
#endif
  const int ways = by_quantum || items == 0 || items > 2000 ? 6 : 9;
  switch (dice.below(ways)) {
    case 0: return {items, item};
    case 1: return {items, types.resized(item, 0, 2 * item.extent)};
    case 2: return {quanta, types.contiguous(item, quantum)};
    case 3: return {quanta, types.strided(item, quantum)};
    case 4: return {quanta, types.resized(types.strided(item, quantum), -item.extent, (2 * quantum + 1) * item.extent)};
    case 5: return {quanta, types.scattered(item, quantum, dice)};
    case 6: return {1, types.contiguous(item, items)};
    case 7: return {1, types.strided(item, items)};
    default: return {1, types.scattered(item, items, dice)};
  }
}
