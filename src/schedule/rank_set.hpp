#pragma once

#include <cstddef>
#include <functional>
#include <span>

namespace starling {

/// Some ranks in an order, each once: a row of a mesh, the ranks of a node, the first rank of each node. Immutable, and
/// one object for as long as anybody uses it: copies are one pointer, and sets of the same ranks in the same order are
/// equal by it. Those that are evenly spaced take no memory for each rank. May be made, copied and destroyed by any
/// thread.
class RankSet {
 public:
  /// No rank.
  RankSet() = default;
  /// `ranks`, in that order. Throws std::invalid_argument for a rank that is named twice.
  static RankSet of(std::span<const int> ranks);
  /// first, first + 1, ..., `size` of them.
  static RankSet consecutive(int first, int size) { return every(1, first, size); }
  /// first, first + step, ..., `size` of them. Throws std::invalid_argument for a step of 0 between ranks.
  static RankSet every(int step, int first, int size);
  /// Row `row` of a mesh whose rows are `columns` consecutive ranks.
  static RankSet row(int row, int columns) { return consecutive(row * columns, columns); }
  /// Column `column` of a mesh of `rows` rows of `columns` consecutive ranks.
  static RankSet column(int column, int rows, int columns) { return every(columns, column, rows); }
  /// All ranks there are, each by its own number.
  static const RankSet& everyone();

  RankSet(const RankSet& other) noexcept;
  RankSet(RankSet&& other) noexcept : ranks_(other.ranks_) { other.ranks_ = nullptr; }
  RankSet& operator=(const RankSet& other) noexcept;
  RankSet& operator=(RankSet&& other) noexcept;
  ~RankSet();

  [[nodiscard]] int size() const;
  [[nodiscard]] bool empty() const { return ranks_ == nullptr; }
  /// The rank at a place, 0 <= index < size().
  [[nodiscard]] int rank(int index) const;
  /// The place of `rank`; -1 where it is none of them.
  [[nodiscard]] int index_of(int rank) const;
  [[nodiscard]] bool contains(int rank) const { return index_of(rank) >= 0; }
  /// Those at the places `places`, in that order. Throws std::out_of_range for a place that there is not.
  [[nodiscard]] RankSet at(const RankSet& places) const;

  /// Whether all of them are from 0 to ranks - 1.
  [[nodiscard]] bool within(int ranks) const;

  bool operator==(const RankSet&) const = default;
  /// For tables by sets.
  struct Hash {
    std::size_t operator()(const RankSet& of) const { return std::hash<const void*>()(of.ranks_); }
  };

  /// How many different sets are in use in this process.
  static std::size_t in_use();

 private:
  struct Ranks;
  explicit RankSet(const Ranks* ranks) : ranks_(ranks) {}
  static RankSet shared(Ranks&& wanted);

  const Ranks* ranks_ = nullptr;
};

}  // namespace starling
