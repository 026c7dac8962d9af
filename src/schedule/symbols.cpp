#include "schedule/symbols.hpp"

#include <algorithm>
#include <bit>

namespace starling {
namespace {

constexpr std::uint64_t scrambled(std::uint64_t value) {
  value = (value ^ (value >> 30U)) * 0xbf58476d1ce4e5b9U;
  value = (value ^ (value >> 27U)) * 0x94d049bb133111ebU;
  return value ^ (value >> 31U);
}

std::string block_of_rank(int block, int rank) {
  return "block " + std::to_string(block) + " of rank " + std::to_string(rank);
}

}  // namespace

Symbols::Symbols(int ranks, int blocks, bool any_order)
    : blocks_(blocks),
      any_order_(any_order),
      words_((static_cast<std::size_t>(ranks) + 63) / 64),
      nodes_{Node{}},
      contained_(words_, 0),
      data_(static_cast<std::size_t>(ranks) * static_cast<std::size_t>(blocks), 0) {}

Symbol Symbols::data(int rank, int block) {
  Symbol& known =
      data_[(static_cast<std::size_t>(rank) * static_cast<std::size_t>(blocks_)) + static_cast<std::size_t>(block)];
  if (known != 0) return known;
  known = static_cast<Symbol>(nodes_.size());
  const auto bit = static_cast<std::size_t>(rank);
  nodes_.push_back({block, rank, rank + 1, 1, scrambled(bit + 1)});
  contained_.resize(contained_.size() + words_, 0);
  contained_[contained_.size() - words_ + (bit / 64)] = std::uint64_t{1} << (bit % 64);
  return known;
}

Symbol Symbols::combine(Symbol left, Symbol right) {
  const std::uint64_t key = (static_cast<std::uint64_t>(left) << 32U) | static_cast<std::uint64_t>(right);
  if (const auto known = combined_.find(key); known != combined_.end()) return known->second;

  const Node a = nodes_[static_cast<std::size_t>(left)];
  const Node b = nodes_[static_cast<std::size_t>(right)];
  const auto both = [&] { return describe(left) + " with " + describe(right); };
  if (a.block != b.block) throw Mistake{"combines " + both() + ", which is another block"};
  for (std::size_t word = 0; word < words_; ++word) {
    const std::uint64_t common = ranks_of(left)[word] & ranks_of(right)[word];
    if (common != 0)
      throw Mistake{"combines " + both() + ", so that rank " +
                    std::to_string((word * 64) + static_cast<std::size_t>(std::countr_zero(common))) +
                    " contributes twice"};
  }
  if (!any_order_ && a.last != b.first)
    throw Mistake{"combines " + both() + " out of rank order, which needs a commutative operator"};

  const auto made = static_cast<Symbol>(nodes_.size());
  nodes_.push_back({a.block, std::min(a.first, b.first), std::max(a.last, b.last), a.ranks + b.ranks,
                    scrambled((a.fingerprint * 3) + scrambled(b.fingerprint))});
  contained_.resize(contained_.size() + words_);
  for (std::size_t word = 0; word < words_; ++word)
    contained_[(static_cast<std::size_t>(made) * words_) + word] = ranks_of(left)[word] | ranks_of(right)[word];
  combined_.emplace(key, made);
  return made;
}

Symbol Symbols::computed(Symbol symbol, Collective by) {
  constexpr std::uint64_t not_a_symbol = 0x80000000U;  // no right operand has such a number
  const std::uint64_t key = (static_cast<std::uint64_t>(symbol) << 32U) | not_a_symbol | static_cast<std::uint64_t>(by);
  const auto [known, is_new] = combined_.try_emplace(key, static_cast<Symbol>(nodes_.size()));
  if (!is_new) return known->second;
  Node node = nodes_[static_cast<std::size_t>(symbol)];
  node.fingerprint = scrambled((node.fingerprint * 5) + scrambled(static_cast<std::uint64_t>(by) + 1));
  nodes_.push_back(node);
  contained_.resize(contained_.size() + words_);
  std::copy_n(ranks_of(symbol), words_, contained_.end() - static_cast<std::ptrdiff_t>(words_));
  return known->second;
}

bool Symbols::matches(Symbol symbol, const Content& content) const {
  if (!content.known()) return true;
  const Node& node = nodes_[static_cast<std::size_t>(symbol)];
  return symbol != 0 && node.block == content.block && node.first == content.first && node.last == content.last &&
         node.ranks == content.last - content.first;
}

std::string Symbols::describe(Symbol symbol) const {
  if (symbol == 0) return "nothing";
  const Node& node = nodes_[static_cast<std::size_t>(symbol)];
  if (node.ranks == 1) return block_of_rank(node.block, node.first);
  std::string text = starling::describe(Content{node.block, node.first, node.last});
  const char* separator = " without rank ";
  for (int rank = node.first; rank < node.last; ++rank) {
    const auto bit = static_cast<std::size_t>(rank);
    if (((ranks_of(symbol)[bit / 64] >> (bit % 64)) & 1U) != 0) continue;
    text += separator + std::to_string(rank);
    separator = ", ";
  }
  return text;
}

std::string describe(const Content& content) {
  if (content.last - content.first == 1) return block_of_rank(content.block, content.first);
  return "block " + std::to_string(content.block) + " combined over ranks " + std::to_string(content.first) + " to " +
         std::to_string(content.last - 1);
}

}  // namespace starling
