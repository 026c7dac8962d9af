#include "knowledge/fold.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "knowledge/record_json.hpp"

namespace starling::testing {
namespace {

ContextRecord context(std::int64_t calls, std::string winner, std::vector<CandidateRecord> candidates) {
  return {.collective = "allreduce",
          .bytes = 8,
          .ranks = 4,
          .calls = calls,
          .stage = "of " + winner,
          .winner = std::move(winner),
          .candidates = std::move(candidates)};
}

CandidateRecord measured(std::string name, std::int64_t samples, double median, double min) {
  return {.name = std::move(name), .samples = samples, .median_s = median, .min_s = min};
}

TEST(Fold, AddsCallsAndSeconds) {
  ContextRecord into = context(100, "ring", {});
  into.seconds = 1.5;
  into.tuning_seconds = 0.25;
  ContextRecord other = context(50, "rab1", {});
  other.seconds = 0.5;
  other.tuning_seconds = 0.125;
  fold(into, other);
  EXPECT_EQ(into.calls, 150);
  EXPECT_EQ(into.seconds, 2);
  EXPECT_EQ(into.tuning_seconds, 0.375);
}

TEST(Fold, LetsRankZeroStandForASlowestRankThatIsNotKnown) {
  ContextRecord into = context(100, "ring", {});
  into.seconds = 1;
  into.tuning_seconds = 0.5;
  ContextRecord other = context(50, "ring", {});
  other.seconds = 2;
  other.tuning_seconds = 0.25;
  fold(into, other);
  EXPECT_EQ(into.slowest_seconds, std::nullopt) << "neither ever agreed";
  EXPECT_EQ(into.slowest_tuning_seconds, std::nullopt);
  other.slowest_seconds = 8;
  other.slowest_tuning_seconds = 4;
  fold(into, other);
  EXPECT_EQ(into.slowest_seconds, 3 + 8);
  EXPECT_EQ(into.slowest_tuning_seconds, 0.75 + 4);
  fold(into, other);
  EXPECT_EQ(into.slowest_seconds, 3 + 8 + 8);
}

TEST(Fold, WeighsArrivalsByComparedCalls) {
  ContextRecord into = context(100, "ring", {});
  ContextRecord other = context(50, "ring", {});
  fold(into, other);
  EXPECT_EQ(into.arrivals, std::nullopt);
  other.arrivals = {.calls = 2, .slowest_s = 3, .mean_s = 2, .fastest_s = 1, .last = {{5, 1}, {0, 1}}};
  fold(into, other);
  EXPECT_EQ(into.arrivals, other.arrivals);
  other.arrivals = {.calls = 6, .slowest_s = 7, .mean_s = 6, .fastest_s = 5, .last = {{0, 4}, {7, 2}}};
  fold(into, other);
  const ArrivalsRecord both{.calls = 8, .slowest_s = 6, .mean_s = 5, .fastest_s = 4, .last = {{0, 5}, {7, 2}, {5, 1}}};
  EXPECT_EQ(into.arrivals, both);
}

TEST(Fold, CountsNoMoreThanARecordCan) {
  ContextRecord into = context(most_counted, "native", {measured("native", most_counted, 1, 1)});
  fold(into, ContextRecord(into));
  EXPECT_EQ(into.calls, most_counted);
  EXPECT_EQ(into.candidates[0].samples, most_counted);
}

TEST(Fold, AddsUpEachPhase) {
  ContextRecord into = context(100, "ring", {});
  into.exploring = {20, 4, 0.5};
  into.settled = {80, 8, 0.25};
  ContextRecord other = context(50, "ring", {});
  other.exploring = {10, 2, 0.125};
  other.settled = {40, 1, 1};
  fold(into, other);
  EXPECT_EQ(into.exploring.calls, 30);
  EXPECT_EQ(into.exploring.seconds, 6);
  EXPECT_EQ(into.exploring.bookkeeping_seconds, 0.625);
  EXPECT_EQ(into.settled.calls, 120);
  EXPECT_EQ(into.settled.seconds, 9);
  EXPECT_EQ(into.settled.bookkeeping_seconds, 1.25);
}

TEST(AddDecisions, OneThatIsThereAlreadyCountsOnce) {
  ContextRecord into;
  into.decisions = {{0, -1, 2, "asked for"}, {3, 2, 0, "no memory"}};
  const std::vector<Decision> others{{0, -1, 2, "asked for"}, {3, 2, 0, "no tag"}, {4, 2, 0, "no memory"}};
  add_decisions(into, others);
  const std::vector<Decision> expected{
      {0, -1, 2, "asked for"}, {3, 2, 0, "no memory"}, {3, 2, 0, "no tag"}, {4, 2, 0, "no memory"}};
  EXPECT_EQ(into.decisions, expected);
}

TEST(Fold, ByPlaceWhatHasNoNames) {
  CandidateRecord native;
  native.name = "native";
  native.samples = 10;
  native.median_s = 4;
  CandidateRecord ring = native;
  ring.name = "ring";
  ring.median_s = 2;
  const ContextRecord whole = context(100, "ring", {native, ring});
  ContextRecord other = whole;
  other.candidates[0].median_s = 8;
  other.native_s = 8;
  other.decisions = {{3, -1, 1, "it is fast"}};
  ContextRecord nameless = other;
  for (CandidateRecord& one : nameless.candidates) one.name.clear();

  ContextRecord by_place = whole;
  fold_by_place(by_place, nameless, std::vector{0, 1});
  ContextRecord by_name = whole;
  fold(by_name, other);
  const auto text = [](const ContextRecord& one) {
    RunRecord record;
    record.contexts = {one};
    return to_json(record);
  };
  EXPECT_EQ(text(by_place), text(by_name));

  // One that was not tried is left out.
  nameless.candidates.pop_back();
  other.candidates[1].samples = 0;
  other.candidates[1].median_s.reset();
  fold_by_place(by_place, nameless, std::vector{0});
  fold(by_name, other);
  EXPECT_EQ(text(by_place), text(by_name));
}

TEST(Fold, KeepsTheLatestDecisionsInOrder) {
  ContextRecord into = context(100, "ring", {});
  ContextRecord other = into;
  for (std::int64_t call = 0; call < 80; ++call) into.decisions.push_back({2 * call, -1, -1, "even"});
  for (std::int64_t call = 0; call < 80; ++call) other.decisions.push_back({(2 * call) + 1, -1, -1, "odd"});
  fold(into, other);
  ASSERT_EQ(into.decisions.size(), decisions_kept);
  EXPECT_EQ(into.decisions_dropped, 60);
  for (std::size_t i = 0; i < decisions_kept; ++i) EXPECT_EQ(into.decisions[i].call, static_cast<std::int64_t>(60 + i));
}

TEST(FoldedContexts, FoldsWhatHasOneCallKey) {
  const ContextRecord one = context(100, "ring", {});
  const auto folds = [&](auto change) {
    ContextRecord other = context(7, "native", {});
    change(other);
    FoldedContexts all;
    all.add(one);
    all.add(other);
    return all.take().size() == 1;
  };
  EXPECT_TRUE(folds([](ContextRecord&) {}));
  EXPECT_FALSE(folds([](ContextRecord& other) { other.collective = "allgather"; }));
  EXPECT_FALSE(folds([](ContextRecord& other) { other.bytes = 16; }));
  EXPECT_FALSE(folds([](ContextRecord& other) { other.bytes.reset(); }));
  EXPECT_FALSE(folds([](ContextRecord& other) { other.bucket = true; }));
  EXPECT_FALSE(folds([](ContextRecord& other) { other.ranks = 5; }));
  EXPECT_FALSE(folds([](ContextRecord& other) { other.nodes = 2; }));
  EXPECT_FALSE(folds([](ContextRecord& other) { other.in_place = true; }));
  EXPECT_FALSE(folds([](ContextRecord& other) { other.operator_class = "commutative"; }));
}

TEST(Fold, TakesStageAndWinnerOfTheOneWithMoreCalls) {
  ContextRecord into = context(100, "ring", {});
  fold(into, context(50, "rab1", {}));
  EXPECT_EQ(into.winner, "ring");
  EXPECT_EQ(into.stage, "of ring");
  fold(into, context(1000, "native", {}));
  EXPECT_EQ(into.winner, "native");
  EXPECT_EQ(into.stage, "of native");
}

TEST(Fold, MakesADeviationThatOfBothTogether) {
  // 2, 4 and 11, 11, 13, 13 deviate by 1 from 3 and 12, and together by the root of 19 from 9.
  CandidateRecord one = measured("ring", 2, 3, 2);
  one.agreed_s = 3;
  one.deviation_s = 1;
  CandidateRecord other = measured("ring", 4, 12, 11);
  other.agreed_s = 12;
  other.deviation_s = 1;
  ContextRecord into = context(40, "ring", {one});
  fold(into, context(40, "ring", {other}));
  EXPECT_DOUBLE_EQ(into.candidates[0].agreed_s.value(), 9);
  EXPECT_DOUBLE_EQ(into.candidates[0].deviation_s.value(), std::sqrt(19.0));
  fold(into, context(40, "ring", {measured("ring", 4, 12, 11)}));
  EXPECT_DOUBLE_EQ(into.candidates[0].deviation_s.value(), std::sqrt(19.0)) << "nobody knows the other's";
}

TEST(Fold, AddsWhatMakingCommunicatorsTook) {
  CandidateRecord one = measured("groups", 10, 4, 2);
  one.setup_s = 0.25;
  ContextRecord into = context(40, "groups", {one});
  fold(into, context(40, "groups", {measured("groups", 10, 4, 2)}));
  EXPECT_EQ(into.candidates[0].setup_s, 0.25);
  fold(into, context(40, "groups", {one}));
  EXPECT_EQ(into.candidates[0].setup_s, 0.5);
}

TEST(Fold, KeepsTheFirstNote) {
  ContextRecord into = context(40, "shared", {measured("shared", 10, 4, 2)});
  CandidateRecord one = measured("shared", 10, 4, 2);
  for (const char* const note : {"first", "second"}) {
    one.note = note;
    fold(into, context(40, "shared", {one}));
  }
  EXPECT_EQ(into.candidates[0].note, "first");
}

TEST(Fold, WeighsMediansBySamplesAndTakesTheSmallerMinimum) {
  ContextRecord into = context(40, "ring", {measured("ring", 10, 4, 2)});
  fold(into, context(40, "ring", {measured("ring", 30, 8, 1)}));
  EXPECT_EQ(into.candidates[0].samples, 40);
  EXPECT_EQ(into.candidates[0].median_s, 7);
  EXPECT_EQ(into.candidates[0].min_s, 1);
}

TEST(Fold, KeepsWhatOnlyOneOfThemMeasured) {
  ContextRecord into = context(1, "native", {{.name = "native"}, measured("ring", 5, 3, 2)});
  fold(into, context(1, "native", {measured("native", 5, 7, 6), {.name = "ring"}}));
  EXPECT_EQ(into.candidates[0].median_s, 7);
  EXPECT_EQ(into.candidates[1].median_s, 3);
  EXPECT_EQ(into.candidates[1].min_s, 2);
}

TEST(Fold, WeighsNativeByItsSamples) {
  ContextRecord into = context(40, "native", {measured("native", 30, 4, 2)});
  into.native_s = 4;
  ContextRecord other = context(40, "native", {measured("native", 10, 8, 2)});
  other.native_s = 8;
  fold(into, other);
  EXPECT_EQ(into.native_s, 5);
}

TEST(Fold, MatchesCandidatesByTheirPublicNames) {
  const auto chain = [](const char* segment, std::int64_t samples) {
    return CandidateRecord{.name = "chain", .parameters = {{"segment", segment}}, .samples = samples};
  };
  ContextRecord into = context(10, "native", {{.name = "native", .samples = 1}, chain("1024", 2)});
  ContextRecord other = context(5, "native", {chain("2048", 8), chain("1024", 4), {.name = "native", .samples = 16}});
  other.decisions = {{7, 1, 0, "from 1024 to 2048"}};
  fold(into, other);
  ASSERT_EQ(into.candidates.size(), 3U);
  EXPECT_EQ(into.candidates[0].samples, 17);
  EXPECT_EQ(into.candidates[1].samples, 6);
  EXPECT_EQ(into.candidates[2].samples, 8);
  EXPECT_EQ(public_name(into.candidates[2]), "chain?segment=2048");
  EXPECT_EQ(into.decisions[0].from, 1);
  EXPECT_EQ(into.decisions[0].to, 2) << "decisions follow their candidates to their new places";
}

TEST(Fold, CountsCandidatesThatNeitherHas) {
  ContextRecord into = context(10, "native", {{.name = "native"}});
  into.candidates_left_out = 3;
  fold(into, context(10, "native", {{.name = "native"}, {.name = "ring"}, {.name = "pair"}}));
  EXPECT_EQ(into.candidates_left_out, 1) << "4 in all, of which 3 are there now";
}

TEST(FoldedContexts, AreOneForEachCallKey) {
  FoldedContexts all;
  for (int i = 0; i < 30; ++i) {
    ContextRecord one = context(1, "native", {measured("native", 1, 1, 1)});
    one.bytes = i % 3;
    all.add(one);
  }
  ContextRecord key = context(0, "", {});
  key.bytes = 2;
  ASSERT_NE(all.find(key), nullptr);
  EXPECT_EQ(all.find(key)->calls, 10);
  key.bytes.reset();
  EXPECT_EQ(all.find(key), nullptr);
  EXPECT_EQ(all.take().size(), 3U);
  EXPECT_TRUE(all.all().empty());
}

TEST(FoldedContexts, StandInTheOrderOfTheTimeThatTheSlowestRankSpent) {
  std::vector<ContextRecord> contexts(3, context(1, "native", {}));
  for (int i = 0; i < 3; ++i) contexts[static_cast<std::size_t>(i)].bytes = i;
  contexts[0].seconds = std::nan("");
  contexts[1].seconds = 1;
  contexts[2].seconds = 0.5;
  contexts[2].slowest_seconds = 2;
  contexts = folded(std::move(contexts));
  EXPECT_EQ(contexts[0].bytes, 2);
  EXPECT_EQ(contexts[1].bytes, 1);
  EXPECT_EQ(contexts[2].bytes, 0);
}

TEST(Fold, CallsACandidateEligibleThatWasSomewhere) {
  const CandidateRecord refused{.name = "pair", .eligible = false, .reason = "needs a power of two of ranks"};
  ContextRecord into = context(1, "native", {refused, refused});
  into.candidates[1].name = "bruck";
  fold(into, context(1, "native", {{.name = "pair"}}));
  EXPECT_TRUE(into.candidates[0].eligible);
  EXPECT_EQ(into.candidates[0].reason, "");
  EXPECT_FALSE(into.candidates[1].eligible);
  EXPECT_NE(into.candidates[1].reason, "");
}

TEST(Fold, OrdersDecisionsByCall) {
  ContextRecord into = context(1, "native", {{.name = "native"}});
  into.decisions = {{10, -1, 0, "a"}, {30, 0, 0, "c"}};
  ContextRecord other = into;
  other.decisions = {{20, -1, 0, "b"}, {30, 0, 0, "d"}};
  fold(into, other);
  std::string order;
  for (const Decision& decision : into.decisions) order += decision.why;
  EXPECT_EQ(order, "abcd");
}

TEST(Fold, KeepsTheLatestDecisionsAndCountsTheRest) {
  ContextRecord into = context(1, "native", {{.name = "native"}});
  for (int i = 0; i < 70; ++i) into.decisions.push_back({i, 0, 0, "early"});
  ContextRecord other = context(1, "native", {{.name = "native"}});
  for (int i = 0; i < 70; ++i) other.decisions.push_back({1000 + i, 0, 0, "late"});
  other.decisions_dropped = 2;
  fold(into, other);
  EXPECT_EQ(into.decisions.size(), 100U);
  EXPECT_EQ(into.decisions.front().call, 40);
  EXPECT_EQ(into.decisions.back().call, 1069);
  EXPECT_EQ(into.decisions_dropped, 42);
}

}  // namespace
}  // namespace starling::testing
