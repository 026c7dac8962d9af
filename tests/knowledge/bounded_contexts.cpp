#include "knowledge/bounded_contexts.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "knowledge/record_json.hpp"
#include "knowledge/shorten.hpp"
#include "sanitized.hpp"

namespace starling::testing {
namespace {

/// A context that took a millisecond for each byte of its key, with 60 candidates that never ran.
ContextRecord of_size(int bytes) {
  ContextRecord one;
  one.collective = "bcast";
  one.bytes = bytes;
  one.ranks = 16;
  one.calls = 1;
  one.seconds = 0.001 * bytes;
  one.winner = "native";
  one.candidates = {{.name = "native", .samples = 1}};
  for (int i = 0; i < 60; ++i) {
    CandidateRecord& refused = one.candidates.emplace_back();
    refused.name = "chain";
    refused.parameters = {{"segment", std::to_string(i)}};
    refused.eligible = false;
    refused.reason = "the message is one segment";
  }
  return one;
}

/// More than a record has room for.
constexpr int call_keys = testing::sanitized ? 20000 : 40000;

TEST(BoundedContexts, KeepMoreThanARecordHasRoomForButNotMuchHoweverManyCallKeysThereAre) {
  BoundedContexts all;
  std::size_t largest = 0;
  for (int i = 1; i <= call_keys; ++i) {
    all.add(of_size(i));
    if (i % (call_keys / 4) != 0) continue;
    BoundedContexts copy = all;
    largest = std::max(largest, to_json(copy.take()).size());
  }
  constexpr std::size_t of_latest = BoundedContexts::most_latest * (std::size_t{16} << 10);
  EXPECT_LT(largest, 2 * most_record_bytes + of_latest);
  RunRecord record = all.take();
  std::size_t room = 0;
  for (const ContextRecord& one : record.contexts) room += one.candidates.capacity();
  EXPECT_LT(room, 3 * record.contexts.size() + 61 * BoundedContexts::most_latest) << "what was left out was freed";
  ASSERT_TRUE(record.left_out);
  std::int64_t calls = record.left_out->calls;
  double seconds = record.left_out->seconds;
  for (const ContextRecord& one : record.contexts) {
    calls += one.calls;
    seconds += one.seconds;
  }
  EXPECT_EQ(calls, call_keys);
  EXPECT_NEAR(seconds, 0.001 * call_keys * (call_keys + 1) / 2, 1);
  EXPECT_EQ(all.find(of_size(call_keys)), nullptr) << "all was taken";
  const std::int64_t before = record.left_out->contexts;
  shorten(record);
  EXPECT_GT(record.left_out->contexts, before) << "less was kept than the record has room for";
}

/// The same with `candidates` candidates that ran.
ContextRecord measured(int bytes, std::size_t candidates) {
  ContextRecord one = of_size(bytes);
  one.candidates.resize(candidates);
  one.candidates.shrink_to_fit();
  for (CandidateRecord& candidate : one.candidates) candidate.samples = 1;
  return one;
}

TEST(BoundedContexts, NeverLeaveOutManyAtOnce) {
  // Small contexts take all the room. Each large one after them takes longer, so that it needs the room of many.
  BoundedContexts all;
  std::int64_t before = 0;
  std::int64_t most = 0;
  const auto add = [&](ContextRecord one) {
    all.add(std::move(one));
    most = std::max(most, all.steps() - before);
    before = all.steps();
  };
  constexpr int small = 4000;
  constexpr int large = 2000;
  for (int i = 1; i <= small; ++i) add(measured(i, 2));
  EXPECT_EQ(before, 0) << "there is room for all of these";
  std::size_t largest = 0;
  for (int i = 1; i <= large; ++i) {
    add(measured(small + i, 61));
    if (i % (testing::sanitized ? 500 : 100) != 0) continue;
    BoundedContexts copy = all;
    largest = std::max(largest, to_json(copy.take()).size());
  }
  EXPECT_GT(before, large);
  EXPECT_LE(most, 16);
  constexpr std::size_t of_latest_and_debt = (BoundedContexts::most_latest + 400) * (std::size_t{16} << 10);
  EXPECT_LT(largest, 2 * most_record_bytes + of_latest_and_debt);
}

TEST(BoundedContexts, KeepTheHeaviest) {
  BoundedContexts all;
  for (int i = 0; i < call_keys; ++i) all.add(of_size(1 + ((i * 7919) % call_keys)));
  const RunRecord record = all.take();
  ASSERT_TRUE(record.left_out);
  const auto kept = std::ssize(record.contexts) - static_cast<std::int64_t>(BoundedContexts::most_latest);
  std::int64_t heaviest = 0;
  for (const ContextRecord& one : record.contexts) heaviest += one.bytes > call_keys - kept ? 1 : 0;
  EXPECT_EQ(heaviest, kept) << "besides those that came last";
}

TEST(BoundedContexts, SumUpInPlaceWhatIsAddedToAgain) {
  BoundedContexts all;
  constexpr int keys = call_keys / 4 * 3;
  for (int i = 1; i <= keys; ++i) {
    all.add(of_size(i));
    ContextRecord* const busy = all.find(of_size(1));
    ASSERT_NE(busy, nullptr) << i;
    busy->calls += 1;
    busy->seconds += 1;
    ASSERT_EQ(busy->candidates.size(), 61U) << "the heaviest stays whole";
  }
  EXPECT_EQ(all.find(of_size(1))->calls, 1 + keys);
}

TEST(BoundedContexts, KeepAllOfFew) {
  BoundedContexts all;
  for (int i = 0; i < 2 * static_cast<int>(BoundedContexts::most_latest); ++i) all.add(of_size(1 + (i % 50)));
  all.add(LeftOut{.contexts = 2, .calls = 3});
  all.add(LeftOut{.contexts = 1, .calls = 4});
  ASSERT_NE(all.find(of_size(7)), nullptr);
  EXPECT_EQ(all.find(of_size(7))->candidates.size(), 61U);
  const RunRecord record = all.take();
  EXPECT_EQ(record.contexts.size(), 50U);
  ASSERT_TRUE(record.left_out);
  EXPECT_EQ(record.left_out->contexts, 3);
  EXPECT_EQ(record.left_out->calls, 7);
}

}  // namespace
}  // namespace starling::testing
