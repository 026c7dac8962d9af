#include "knowledge/record_sum.hpp"

#include <gtest/gtest.h>

#include "knowledge/record_json.hpp"
#include "knowledge/shorten.hpp"

namespace starling::testing {
namespace {

/// A rank's record: one context that all ranks have, and a number of its own.
std::vector<ContextRecord> known_to(int rank, int own = 1) {
  std::vector<ContextRecord> contexts(static_cast<std::size_t>(own) + 1);
  for (int i = 0; i <= own; ++i) {
    ContextRecord& one = contexts[static_cast<std::size_t>(i)];
    one.collective = "bcast";
    one.bytes = i == 0 ? 8 : 1000000 * (rank + 1) + i;
    one.ranks = 4;
    one.calls = 10;
    one.seconds = 0.5;
    one.winner = "native";
    one.candidates = {{.name = "native", .samples = 10, .median_s = 0.05 + rank, .min_s = 0.01}};
  }
  return contexts;
}

/// Rank 0's record after a reduction of that many ranks along the runtime's tree.
RunRecord added_up(int ranks, int own) {
  std::vector<RecordSum> sums;
  for (int rank = 0; rank < ranks; ++rank) sums.emplace_back(known_to(rank, own));
  for (int distance = 1; distance < ranks; distance *= 2) {
    for (int rank = 0; rank + distance < ranks; rank += 2 * distance) {
      const std::string text = sums[static_cast<std::size_t>(rank + distance)].text();
      EXPECT_LE(text.size(), most_record_bytes);
      sums[static_cast<std::size_t>(rank)].add(text);
    }
  }
  return sums.front().record();
}

TEST(RecordSum, HasWhatEveryRankKnows) {
  for (const int ranks : {1, 2, 7, 16}) {
    const RunRecord all = added_up(ranks, 1);
    EXPECT_EQ(std::ssize(all.contexts), ranks + 1);
    const ContextRecord& shared = all.contexts.front();  // the heaviest
    EXPECT_EQ(shared.bytes, 8);
    EXPECT_EQ(shared.calls, 10 * ranks);
    EXPECT_NEAR(shared.candidates[0].median_s.value_or(0), 0.05 + (ranks - 1) / 2.0, 1e-9);
  }
}

TEST(RecordSum, OfManyIsShortAndAddsUp) {
  constexpr int ranks = 32;
  constexpr int own = 500;
  const RunRecord all = added_up(ranks, own);
  ASSERT_TRUE(all.left_out) << "the last steps have too much for one text";
  std::int64_t contexts = all.left_out->contexts;
  std::int64_t calls = all.left_out->calls;
  for (const ContextRecord& one : all.contexts) calls += one.calls;
  EXPECT_EQ(std::ssize(all.contexts) + contexts, ranks * own + 1);
  EXPECT_EQ(calls, 10 * ranks * (own + 1));
  EXPECT_EQ(all.contexts.front().calls, 10 * ranks) << "the heaviest is there with all its calls";
}

TEST(RecordSum, PassesOnWhatOneRankToldAsItCame) {
  RecordSum nothing({});
  EXPECT_EQ(nothing.text(), "");
  nothing.add("");
  nothing.add("only told");
  EXPECT_EQ(nothing.text(), "only told");
  RecordSum two({});
  const std::string text = RecordSum(known_to(1)).text();
  two.add(text);
  two.add(text);
  EXPECT_EQ(run_record_from_json(two.text()).contexts.front().calls, 20);
}

}  // namespace
}  // namespace starling::testing
