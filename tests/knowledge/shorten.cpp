#include "knowledge/shorten.hpp"

#include <gtest/gtest.h>

#include <numeric>

#include "knowledge/record_json.hpp"

namespace starling::testing {
namespace {

constexpr std::size_t small = std::size_t{256} << 10;

/// A record of contexts that each took a millisecond more than the one before, with 3 measured candidates and 40 that
/// never ran.
RunRecord record_of(int contexts) {
  RunRecord record;
  record.run.started = "2024-05-01T12:00:00Z";
  for (int i = 0; i < contexts; ++i) {
    ContextRecord& one = record.contexts.emplace_back();
    one.collective = "allreduce";
    one.bytes = i;
    one.ranks = 16;
    one.calls = 10;
    one.seconds = 0.001 * (i + 1);
    one.slowest_seconds = 0.002 * (i + 1);
    one.tuning_seconds = 0.0001;
    one.winner = "chain?segment=2";
    one.candidates = {{.name = "native", .samples = 3}};
    for (int c = 0; c < 2; ++c)
      one.candidates.push_back({.name = "ring" + std::to_string(c), .samples = 3, .median_s = 1e-5, .agreed_s = 1e-5});
    for (int c = 0; c < 40; ++c) {
      CandidateRecord& refused = one.candidates.emplace_back();
      refused.name = "chain";
      refused.parameters = {{"segment", std::to_string(c)}};
      refused.eligible = false;
      refused.reason = "the message is one segment";
    }
    one.decisions = {{3, 0, 3 + 7, "a reason that holds a figure or two"}};
  }
  return record;
}

double seconds(const RunRecord& record, double ContextRecord::*what, double LeftOut::*left) {
  double sum = record.left_out ? (*record.left_out).*left : 0;
  for (const ContextRecord& one : record.contexts) sum += one.*what;
  return sum;
}

TEST(Shortened, IsNothingThatFits) {
  RunRecord record = record_of(20);
  const std::string before = to_json(record);
  shorten(record);
  EXPECT_EQ(to_json(record), before);
}

TEST(Shortened, AreFirstCandidatesThatNeverRanOfTheLightestContexts) {
  RunRecord record = record_of(60);
  ASSERT_GT(to_json(record).size(), small);
  shorten(record, small);
  EXPECT_LE(to_json(record).size(), small);
  const ContextRecord& lightest = record.contexts.front();
  ASSERT_EQ(lightest.candidates.size(), 5U) << "three measured, the winner, and one that a decision names";
  EXPECT_EQ(lightest.candidates_left_out, 38);
  EXPECT_EQ(public_name(lightest.candidates[3]), lightest.winner);
  EXPECT_EQ(lightest.decisions[0].from, 0);
  EXPECT_EQ(public_name(lightest.candidates[static_cast<std::size_t>(lightest.decisions[0].to)]), "chain?segment=7");
  EXPECT_EQ(record.contexts.back().candidates.size(), 43U);
  EXPECT_EQ(record.contexts.back().candidates_left_out, 0);
}

TEST(Shortened, AreThenDetailsOfTheLightestContexts) {
  RunRecord record = record_of(180);
  shorten(record, small);
  EXPECT_LE(to_json(record).size(), small);
  EXPECT_FALSE(record.left_out);
  const ContextRecord& lightest = record.contexts.front();
  ASSERT_EQ(lightest.candidates.size(), 2U);
  EXPECT_EQ(public_name(lightest.candidates[1]), lightest.winner);
  EXPECT_EQ(lightest.candidates_left_out, 41);
  EXPECT_TRUE(lightest.decisions.empty());
  EXPECT_EQ(lightest.decisions_dropped, 1);
  EXPECT_EQ(record.contexts.back().candidates.size(), 5U);
}

TEST(Shortened, AreAtLastTheLightestContextsThemselvesButForTheirSums) {
  RunRecord record = record_of(2000);
  const double all = seconds(record, &ContextRecord::seconds, &LeftOut::seconds);
  const double tuning = seconds(record, &ContextRecord::tuning_seconds, &LeftOut::tuning_seconds);
  shorten(record, small);
  EXPECT_LE(to_json(record).size(), small);
  EXPECT_GT(to_json(record).size(), small / 2) << "no more is left out than must be";
  ASSERT_TRUE(record.left_out);
  EXPECT_EQ(std::ssize(record.contexts) + record.left_out->contexts, 2000);
  EXPECT_EQ(record.contexts.back().bytes, 1999) << "the heaviest stays";
  EXPECT_EQ(record.contexts.front().bytes, record.left_out->contexts);
  EXPECT_EQ(record.left_out->calls, 10 * record.left_out->contexts);
  EXPECT_DOUBLE_EQ(seconds(record, &ContextRecord::seconds, &LeftOut::seconds), all);
  EXPECT_NEAR(seconds(record, &ContextRecord::tuning_seconds, &LeftOut::tuning_seconds), tuning, 1e-12);
  EXPECT_DOUBLE_EQ(record.left_out->slowest_seconds.value_or(0), 2 * record.left_out->seconds);
  EXPECT_EQ(record.left_out->slowest_tuning_seconds, std::nullopt);
  const std::int64_t before = record.left_out->contexts;
  shorten(record, small / 2);
  EXPECT_GT(record.left_out->contexts, before);
  EXPECT_DOUBLE_EQ(seconds(record, &ContextRecord::seconds, &LeftOut::seconds), all);
}

TEST(Shortened, IsTheRecordOfThousandsOfContexts) {
  RunRecord record = record_of(5460);
  shorten(record);
  const std::string text = to_json(record);
  EXPECT_LE(text.size(), most_record_bytes);
  EXPECT_EQ(run_record_from_json(text).contexts.size(), record.contexts.size());
}

}  // namespace
}  // namespace starling::testing
