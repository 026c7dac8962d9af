#include "knowledge/bounded_contexts.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "knowledge/record_json.hpp"
#include "knowledge/shorten.hpp"

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

#ifdef STARLING_SANITIZED
constexpr int call_keys = 12000;  // more than a record holds
#else
constexpr int call_keys = 40000;
#endif

TEST(BoundedContexts, KeepNoMoreThanARecordHoldsHoweverManyCallKeysThereAre) {
  BoundedContexts all;
  std::size_t largest = 0;
  for (int i = 1; i <= call_keys; ++i) {
    all.add(of_size(i));
    if (i % (call_keys / 4) != 0) continue;
    BoundedContexts copy = all;
    largest = std::max(largest, to_json(copy.take()).size());
  }
  constexpr std::size_t of_added = BoundedContexts::most_added * (std::size_t{16} << 10);
  EXPECT_LT(largest, most_record_bytes + of_added);
  const RunRecord record = all.take();
  std::size_t room = 0;
  for (const ContextRecord& one : record.contexts) room += one.candidates.capacity();
  EXPECT_LT(room, 3 * record.contexts.size() + 61 * BoundedContexts::most_added) << "what was left out was freed";
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
}

TEST(BoundedContexts, KeepAllOfFew) {
  BoundedContexts all;
  for (int i = 0; i < 2 * BoundedContexts::most_added; ++i) all.add(of_size(1 + (i % 50)));
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
