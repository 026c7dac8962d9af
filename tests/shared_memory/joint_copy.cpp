// Copies of which reader and writer make parts: who may claim what, and when a copy is over.

#include "shared_memory/joint_copy.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <string>
#include <thread>
#include <vector>

namespace starling {
namespace {

constexpr std::size_t of_part = JointCopy::part_bytes;
constexpr std::size_t all_bytes = (15 * of_part) + 5;  // 16 parts
constexpr std::uint64_t of_publication = 7;

/// As it lies in memory that nobody has used.
JointCopy unused() {
  return JointCopy{};
}

TEST(JointCopy, IsTheReadersIfNobodyHelps) {
  JointCopy copy = unused();
  EXPECT_FALSE(copy.claim_end(of_publication)) << "nothing was begun";
  copy.begin(of_publication, all_bytes);
  const auto half = copy.claim_front(all_bytes);
  ASSERT_TRUE(half);
  EXPECT_EQ(half->offset(), 0U);
  EXPECT_EQ(half->bytes(all_bytes), 8 * of_part);
  const auto rest = copy.claim_front(all_bytes);
  ASSERT_TRUE(rest);
  EXPECT_EQ(rest->offset(), 8 * of_part);
  EXPECT_EQ(rest->bytes(all_bytes), (7 * of_part) + 5) << "the last part is not a whole one";
  EXPECT_FALSE(copy.claim_front(all_bytes));
  EXPECT_FALSE(copy.claim_end(of_publication));
  EXPECT_TRUE(copy.is_over(all_bytes));
  EXPECT_TRUE(copy.is_made());
}

TEST(JointCopy, IsSharedByHalvesOfWhatIsLeft) {
  JointCopy copy = unused();
  copy.begin(of_publication, all_bytes);
  const auto front = copy.claim_front(all_bytes);
  const auto end = copy.claim_end(of_publication);
  ASSERT_TRUE(front && end);
  EXPECT_EQ(front->count, 8U);
  EXPECT_EQ(end->first, 12U);
  EXPECT_EQ(end->count, 4U);
  const auto more = copy.claim_front(all_bytes);
  ASSERT_TRUE(more);
  EXPECT_EQ(more->first, 8U);
  EXPECT_EQ(more->count, 2U);
  EXPECT_EQ(copy.claim_end(of_publication)->first, 11U);
  EXPECT_EQ(copy.claim_front(all_bytes)->first, 10U);
  EXPECT_FALSE(copy.claim_front(all_bytes) || copy.claim_end(of_publication));
  EXPECT_FALSE(copy.is_over(all_bytes)) << "the writer is not done";
  copy.made({12, 4}, true);
  EXPECT_FALSE(copy.is_over(all_bytes));
  copy.made({11, 1}, true);
  EXPECT_TRUE(copy.is_over(all_bytes) && copy.is_made());
}

TEST(JointCopy, TellsThatTheWriterCouldNot) {
  JointCopy copy = unused();
  copy.begin(of_publication, all_bytes);
  ASSERT_TRUE(copy.claim_front(all_bytes));
  const auto end = copy.claim_end(of_publication);
  ASSERT_TRUE(end);
  copy.made(*end, false);
  while (copy.claim_front(all_bytes)) continue;
  EXPECT_TRUE(copy.is_over(all_bytes)) << "nobody is at work any more";
  EXPECT_FALSE(copy.is_made());
  copy.begin(of_publication + 1, all_bytes);
  while (copy.claim_front(all_bytes)) continue;
  EXPECT_TRUE(copy.is_over(all_bytes) && copy.is_made()) << "the next one begins anew";
}

TEST(JointCopy, IsOfOnePublicationAndCanBeClosed) {
  JointCopy copy = unused();
  copy.begin(of_publication, all_bytes);
  EXPECT_FALSE(copy.claim_end(of_publication + 1));
  EXPECT_FALSE(copy.claim_end(of_publication - 1));
  ASSERT_TRUE(copy.claim_front(all_bytes));
  const auto end = copy.claim_end(of_publication);
  ASSERT_TRUE(end);
  copy.close();
  EXPECT_FALSE(copy.claim_end(of_publication) || copy.claim_front(all_bytes));
  EXPECT_FALSE(copy.is_over(all_bytes)) << "what was claimed before is still being made";
  copy.made(*end, true);
  EXPECT_TRUE(copy.is_over(all_bytes));
}

TEST(JointCopy, MayBeAsLargeAsItSays) {
  JointCopy copy = unused();
  copy.begin(of_publication, JointCopy::most_bytes);
  std::size_t copied = 0;
  while (const auto parts = copy.claim_front(JointCopy::most_bytes)) copied += parts->bytes(JointCopy::most_bytes);
  EXPECT_EQ(copied, JointCopy::most_bytes);
}

TEST(JointCopy, TellsThatTheWriterCouldNotTwice) {
  JointCopy copy = unused();
  copy.begin(of_publication, all_bytes);
  for (int i = 0; i < 2; ++i) {
    const auto end = copy.claim_end(of_publication);
    ASSERT_TRUE(end);
    copy.made(*end, false);
  }
  copy.close();
  EXPECT_TRUE(copy.is_over(all_bytes));
  EXPECT_FALSE(copy.is_made());
}

/// Each byte is copied once, whoever claims it.
TEST(JointCopy, HasEachPartMadeOnce) {
  constexpr int turns = 100;
  JointCopy copy = unused();
  const std::string source(all_bytes, 'a');
  std::string target;
  std::atomic<std::uint64_t> begun = 0;
  std::atomic<bool> is_over = false;
  std::thread writer([&] {
    while (!is_over) {
      const std::uint64_t turn = begun.load(std::memory_order_acquire);
      const auto parts = copy.claim_end(turn);
      if (!parts) {
        std::this_thread::yield();
        continue;
      }
      for (std::size_t i = parts->offset(); i < parts->offset() + parts->bytes(all_bytes); ++i) ++target[i];
      copy.made(*parts, true);
    }
  });
  for (std::uint64_t turn = 1; turn <= turns; ++turn) {
    target.assign(all_bytes, 'a');
    copy.begin(turn, all_bytes);
    begun.store(turn, std::memory_order_release);
    while (const auto parts = copy.claim_front(all_bytes))
      for (std::size_t i = parts->offset(); i < parts->offset() + parts->bytes(all_bytes); ++i) ++target[i];
    while (!copy.is_over(all_bytes)) std::this_thread::yield();
    EXPECT_TRUE(copy.is_made());
    EXPECT_EQ(target, std::string(all_bytes, 'b')) << turn;
  }
  is_over = true;
  writer.join();
}

}  // namespace
}  // namespace starling
