#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "schedule/expectation.hpp"

namespace starling {

/// A mistake found in schedules, said in words.
struct Mistake {
  std::string what;
};

/// The number of a symbolic value; 0 is what a slot holds that was never written.
using Symbol = std::int32_t;

/// Symbolic values, each stored once: the data of one rank, or two values combined. Equal numbers mean the same
/// expression, so that results which are computed in another order differ even where they combine the same ranks.
class Symbols {
 public:
  /// `any_order`: the operator is commutative.
  Symbols(int ranks, int blocks, bool any_order);

  /// Block `block` of rank `rank`.
  Symbol data(int rank, int block);
  /// left (operator) right. Throws Mistake for different blocks, for a rank contained twice and, unless in any order,
  /// for ranks out of order.
  Symbol combine(Symbol left, Symbol right);
  /// `symbol` as the MPI library's collective `by` computes it, in an order of its own: another expression.
  Symbol computed(Symbol symbol, Collective by);
  /// Whether `symbol` is what should be there.
  [[nodiscard]] bool matches(Symbol symbol, const Content& content) const;
  /// The value in words.
  [[nodiscard]] std::string describe(Symbol symbol) const;
  /// Equal for equal expressions, in this and in other tables.
  [[nodiscard]] std::uint64_t fingerprint(Symbol symbol) const {
    return nodes_[static_cast<std::size_t>(symbol)].fingerprint;
  }

 private:
  struct Node {
    int block;
    int first;  ///< smallest rank contained
    int last;   ///< one more than the largest
    int ranks;  ///< how many are contained
    std::uint64_t fingerprint;
  };

  [[nodiscard]] const std::uint64_t* ranks_of(Symbol symbol) const {
    return contained_.data() + (static_cast<std::size_t>(symbol) * words_);
  }

  int blocks_;
  bool any_order_;
  std::size_t words_;  ///< for a set of ranks
  std::vector<Node> nodes_;
  std::vector<std::uint64_t> contained_;  ///< the set of ranks of each node, one after the other
  std::vector<Symbol> data_;
  std::unordered_map<std::uint64_t, Symbol> combined_;  ///< by two symbols, or by one and a collective
};

/// What `content` asks for, in words.
std::string describe(const Content& content);

}  // namespace starling
