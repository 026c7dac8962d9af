#include "schedule/native_pieces.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

namespace starling {
namespace {

constexpr std::int64_t int_max = std::numeric_limits<int>::max();

NativePart part_of(Collective collective, int members, std::int64_t from, std::int64_t into, int root = 0) {
  return {collective, RankSet::consecutive(0, members), root, {0, 5, from}, {1, 7, into}};
}

using Elements = std::vector<int>;

/// The effect of MPI on each member's receive buffer, where `parts[m]` is member m's part.
void carry_out(const std::vector<NativePart>& parts, const std::vector<Elements>& from, std::vector<Elements>& into) {
  const auto members = parts.size();
  const NativePart& first = parts.front();
  const auto vectors = first.collective == Collective::reduce_scatter_block ? members : 1;
  const auto units = static_cast<std::size_t>(first.from.count) / vectors;
  for (std::size_t member = 0; member < members; ++member) {
    if (first.collective == Collective::reduce && static_cast<int>(member) != first.root) continue;
    for (std::size_t i = 0; i < units; ++i) {
      int sum = 0;
      for (std::size_t other = 0; other < members; ++other) {
        const std::size_t block = vectors > 1 ? member * units : 0;
        sum += from[other][static_cast<std::size_t>(parts[other].from.first) + block + i];
      }
      into[member][static_cast<std::size_t>(parts[member].into.first) + i] = sum;
    }
  }
}

/// The receive buffers of all members after a collective in pieces of at most `most` units.
std::vector<Elements> results(Collective collective, int members, std::int64_t block, int root, std::int64_t most) {
  const bool scatters = collective == Collective::reduce_scatter_block;
  const std::int64_t sent = scatters ? block * members : block;
  std::vector<Elements> from;
  std::vector<Elements> into(static_cast<std::size_t>(members), Elements(static_cast<std::size_t>(block) + 7, -1));
  std::vector<std::vector<NativePart>> parts;
  for (int member = 0; member < members; ++member) {
    Elements& mine = from.emplace_back(static_cast<std::size_t>(sent) + 5);
    for (std::size_t i = 0; i < mine.size(); ++i) mine[i] = (member + 1) * (100 + static_cast<int>(i));
    const bool gets = collective != Collective::reduce || member == root;
    parts.push_back(pieces(part_of(collective, members, sent, gets ? block : 0, root), most));
    EXPECT_EQ(parts.back().size(), parts.front().size()) << "members disagree on how many there are";
  }
  for (std::size_t piece = 0; piece < parts.front().size(); ++piece) {
    std::vector<NativePart> now;
    for (const auto& one : parts) now.push_back(one[piece]);
    EXPECT_LE(now.front().from.count, most);
    carry_out(now, from, into);
  }
  return into;
}

TEST(NativePieces, GiveWhatTheWholeGives) {
  for (const Collective collective : {Collective::allreduce, Collective::reduce, Collective::reduce_scatter_block})
    for (const int members : {1, 3, 4})
      for (const std::int64_t block : {1, 5, 12, 13})
        for (const std::int64_t most : {1, 4, 6, 13})
          EXPECT_EQ(results(collective, members, block, members - 1, most),
                    results(collective, members, block, members - 1, int_max))
              << name_of(collective) << " of " << block << " units on " << members << " ranks by " << most;
}

TEST(NativePieces, AreOneWhereMpiCanCountThem) {
  const NativePart part = part_of(Collective::reduce_scatter_block, 4, 4 * (int_max / 4), int_max / 4);
  const auto all = pieces(part, int_max);
  ASSERT_EQ(all.size(), 1U);
  EXPECT_EQ(all[0].collective, Collective::reduce_scatter_block);
  EXPECT_EQ(all[0].from.count, part.from.count);
}

TEST(NativePieces, CoverEachUnitOnceHoweverManyThereAre) {
  constexpr std::int64_t many = (std::int64_t{1} << 33) + 5;
  const auto all = pieces(part_of(Collective::allreduce, 3, many, many), int_max);
  ASSERT_EQ(all.size(), 5U);
  std::int64_t next = 0;
  for (const NativePart& piece : all) {
    EXPECT_EQ(piece.collective, Collective::allreduce);
    EXPECT_EQ(piece.from.first, 5 + next);
    EXPECT_EQ(piece.into.first, 7 + next);
    EXPECT_EQ(piece.from.count, piece.into.count);
    EXPECT_LE(piece.from.count, int_max);
    next += piece.from.count;
  }
  EXPECT_EQ(next, many);
}

TEST(NativePieces, OfALargeReduceScatterBlockGoToEachMemberInTurn) {
  constexpr std::int64_t block = int_max + std::int64_t{10};
  const auto all = pieces(part_of(Collective::reduce_scatter_block, 3, 3 * block, block), int_max);
  ASSERT_EQ(all.size(), 6U);
  for (std::size_t i = 0; i < all.size(); ++i) {
    const auto member = static_cast<int>(i / 2);
    const std::int64_t start = i % 2 == 0 ? 0 : int_max;
    EXPECT_EQ(all[i].collective, Collective::reduce);
    EXPECT_EQ(all[i].root, member);
    EXPECT_EQ(all[i].from.first, 5 + (member * block) + start);
    EXPECT_EQ(all[i].into.first, 7 + start);
    EXPECT_EQ(all[i].into.count, i % 2 == 0 ? int_max : 10);
  }
}

TEST(NativePieces, LeaveABufferOutThatOnlyTheRootHas) {
  const auto all = pieces(part_of(Collective::reduce, 3, 2 * int_max, 0, 2), int_max);
  ASSERT_EQ(all.size(), 2U);
  EXPECT_TRUE(std::all_of(all.begin(), all.end(), [](const NativePart& one) { return one.into.count == 0; }));
  EXPECT_TRUE(std::all_of(all.begin(), all.end(), [](const NativePart& one) { return one.root == 2; }));
}

}  // namespace
}  // namespace starling
