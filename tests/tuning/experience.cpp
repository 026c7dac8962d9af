#include "tuning/experience.hpp"

#include <gtest/gtest.h>

#include <array>
#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace starling::testing {
namespace {

ContextKey key_of(std::int64_t bytes, int ranks = 16) {
  return {.what = "allreduce", .bytes = bytes, .ranks = ranks, .nodes = ranks, .ranks_per_node = 1};
}

Candidate candidate(const char* name) {
  Candidate one;
  one.name = name;
  one.group = name;
  return one;
}

std::optional<double> nothing() {
  return std::nullopt;
}

TEST(Experience, IsSharedByCommunicatorsOfOneShape) {
  Experience all;
  all.learn(key_of(4096), candidate("ring"), 2e-3, {}, true);
  const auto found = all.belief(key_of(4096), candidate("ring"), 5e-3, nothing);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->seconds, 2e-3);
  EXPECT_FALSE(all.belief(key_of(4096, 8), candidate("ring"), 5e-3, nothing)) << "of another shape";
  EXPECT_FALSE(all.belief(key_of(4096), candidate("tree"), 5e-3, nothing));
}

TEST(Experience, NeighbouringSizesLendTheirRatioToNative) {
  Experience all;
  all.learn(key_of(4096), candidate("native"), 4e-3, {}, true);
  all.learn(key_of(4096), candidate("ring"), 2e-3, {}, true);
  const auto near = all.belief(key_of(8192), candidate("ring"), 10e-3, nothing);
  const auto far = all.belief(key_of(32768), candidate("ring"), 10e-3, nothing);
  ASSERT_TRUE(near);
  ASSERT_TRUE(far);
  EXPECT_NEAR(near->seconds, 5e-3, 1e-9);
  EXPECT_LT(near->spread, far->spread);
  EXPECT_FALSE(all.belief(key_of(65536), candidate("ring"), 10e-3, nothing)) << "16 times as large";
}

TEST(Experience, LearnsHowWrongTheModelIsAboutAGroup) {
  Experience all;
  const auto predicted = [] { return std::optional(1e-3); };
  const Belief before = all.belief(key_of(1 << 20), candidate("ring"), 1e-3, predicted).value();
  for (int size = 0; size < 10; ++size) all.learn(key_of(size), candidate("ring"), 2e-3, 1e-3, true);
  const Belief after = all.belief(key_of(1 << 20), candidate("ring"), 1e-3, predicted).value();
  EXPECT_EQ(before.seconds, 1e-3);
  EXPECT_GT(after.seconds, 1.7e-3);
  EXPECT_LT(after.spread, 0.6 * before.spread);
  EXPECT_EQ(all.belief(key_of(1 << 20), candidate("tree"), 1e-3, predicted)->seconds, 1e-3) << "of another group";
}

TEST(Experience, ABucketIsNotItsSmallestSize) {
  Experience all;
  ContextKey bucket = key_of(65536);
  bucket.bucket = true;
  bucket.up_to = 131072;
  all.learn(key_of(65536), candidate("native"), 1e-3, {}, true);
  all.learn(key_of(65536), candidate("ring"), 0.5e-3, {}, true);
  all.learn(bucket, candidate("native"), 2e-3, {}, true);
  EXPECT_EQ(all.belief(key_of(65536), candidate("native"), 1e-3, nothing)->seconds, 1e-3);
  EXPECT_FALSE(all.knows(bucket));
  EXPECT_NEAR(all.belief(bucket, candidate("ring"), 2e-3, nothing)->seconds, 1e-3, 1e-9) << "in proportion to native's";
}

TEST(Experience, KeysOfOtherOperatorsAreApart) {
  Experience all;
  ContextKey own_operator = key_of(4096);
  own_operator.variant = 2;
  all.learn(own_operator, candidate("ring"), 1e-3, {}, true);
  EXPECT_FALSE(all.belief(key_of(4096), candidate("ring"), 1e-3, nothing));
}

TEST(Experience, IsBounded) {
  Experience all;
  for (std::size_t i = 0; i < Experience::most_contexts + 10; ++i)
    all.learn(key_of(static_cast<std::int64_t>(i) + 1), candidate("ring"), 1e-3, {}, true);
  const auto last = static_cast<std::int64_t>(Experience::most_contexts);
  EXPECT_TRUE(all.belief(key_of(last), candidate("ring"), 1e-3, nothing));
  all.learn(key_of(1 << 30), candidate("ring"), 1e-3, {}, true);
  EXPECT_FALSE(all.belief(key_of(1 << 30), candidate("ring"), 1e-3, nothing));
}

TEST(Experience, ExpectsOfASetupWhatTheLatestOnesTook) {
  using Made = Experience::Made;
  Experience all;
  EXPECT_EQ(all.setup_seconds(Made::memory), std::nullopt);
  all.learn_setup(Made::memory, 0.002);
  EXPECT_EQ(all.setup_seconds(Made::memory), 0.002);
  EXPECT_EQ(all.setup_seconds(Made::communicators), std::nullopt);
  for (const double disturbed : {0.5, 0.0021, 0.0019, 0.0022}) all.learn_setup(Made::memory, disturbed);
  EXPECT_EQ(all.setup_seconds(Made::memory), 0.0021) << "one was disturbed";
  for (int i = 0; i < 5; ++i) all.learn_setup(Made::memory, 0.02);
  EXPECT_EQ(all.setup_seconds(Made::memory), 0.02) << "the latest count";
}

/// The same time for every candidate but native. Counts how often it is asked.
class Same final : public Predictions {
 public:
  Same(Candidates candidates, double seconds, int* asked, std::optional<double> to_measure = {})
      : candidates_(std::move(candidates)), seconds_(seconds), asked_(asked), to_measure_(to_measure) {}
  [[nodiscard]] std::size_t candidates() const override { return candidates_.size(); }
  [[nodiscard]] Interned name(int candidate) const override {
    return candidates_[static_cast<std::size_t>(candidate)].name;
  }
  [[nodiscard]] Interned group(int candidate) const override {
    return candidates_[static_cast<std::size_t>(candidate)].group;
  }
  [[nodiscard]] std::optional<double> seconds(int candidate) override {
    ++*asked_;
    return candidate == 0 ? std::nullopt : std::optional(seconds_);
  }
  [[nodiscard]] double seconds_to_begin(int /*candidate*/) override { return 0; }
  [[nodiscard]] double setup_seconds(int /*candidate*/) override { return 0; }
  [[nodiscard]] std::vector<std::optional<int>> alike(const std::function<bool(int)>& /*wanted*/) override {
    return {};
  }
  [[nodiscard]] double seconds_to_predict() const override { return 1e-3; }
  [[nodiscard]] std::optional<double> seconds_to_measure() const override { return to_measure_; }

 private:
  Candidates candidates_;
  double seconds_;
  int* asked_;
  std::optional<double> to_measure_;
};

TEST(ContextKnowledge, ANewCommunicatorUsesTheBestOfAnotherOneFromItsFirstCallOn) {
  Experience all;
  const auto calls_on_a_communicator = [&](int calls) {
    Brief brief;
    brief.candidates = {candidate("native"), candidate("slow"), candidate("ring")};
    brief.key = key_of(65536);
    brief.tells_first = all.knows(brief.key.ranks);
    int asked = 0;
    brief.knowledge =
        std::make_shared<ContextKnowledge>(all, brief.key, std::make_unique<Same>(brief.candidates, 4e-3, &asked));
    const auto strategy = strategy_named("auto")->first->make(brief);
    if (const std::span<double> told = strategy->opening(); !told.empty()) strategy->verdict(told);
    std::vector<int> made;
    for (int call = 0; call < calls; ++call) {
      made.push_back(strategy->proposed());
      constexpr std::array<double, 3> seconds{10e-3, 20e-3, 5e-3};
      const std::span<const double> numbers = strategy->observe(seconds.at(static_cast<std::size_t>(made.back())), 0);
      if (numbers.empty()) continue;
      const std::span<const double> ruling = strategy->ruling(std::vector<double>(numbers.begin(), numbers.end()));
      strategy->verdict(std::vector<double>(ruling.begin(), ruling.end()));
    }
    return made;
  };
  calls_on_a_communicator(100);
  EXPECT_EQ(calls_on_a_communicator(3), (std::vector<int>{2, 2, 2}));
}

TEST(ContextKnowledge, AsksTheModelOnlyWhereNothingWasMeasured) {
  Experience all;
  const std::vector<Candidate> candidates{candidate("native"), candidate("ring")};
  int asked = 0;
  ContextKnowledge first(all, key_of(4096), std::make_unique<Same>(candidates, 1e-3, &asked));
  EXPECT_EQ(first.belief(1, 5e-3)->source, Interned("the cost model"));
  EXPECT_EQ(asked, 1);
  first.learn(1, 3e-3, 4);
  ContextKnowledge second(all, key_of(4096), std::make_unique<Same>(candidates, 1e-3, &asked));
  EXPECT_EQ(second.belief(1, 5e-3)->seconds, 3e-3);
  EXPECT_EQ(asked, 1);
}

TEST(ContextKnowledge, NativesTimeAloneAnswersNothing) {
  Experience all;
  const std::vector<Candidate> candidates{candidate("native"), candidate("ring")};
  int asked = 0;
  ContextKnowledge one(all, key_of(4096), std::make_unique<Same>(candidates, 1e-3, &asked, 0.3));
  one.learn(0, 5e-3, 4);
  EXPECT_EQ(one.seconds_to_ask(), 1e-3) << "the model must be asked";
  EXPECT_EQ(one.seconds_to_measure(), 0.3);
  one.learn(1, 3e-3, 4);
  EXPECT_LT(one.seconds_to_ask(), 1e-5) << "it was asked already";
  EXPECT_EQ(one.seconds_to_measure(), std::nullopt);
}

TEST(ContextKnowledge, TellsWhatCallsOfOtherContextsTook) {
  Experience all;
  const std::vector<Candidate> candidates{candidate("native"), candidate("ring")};
  int asked = 0;
  ContextKnowledge one(all, key_of(4096), std::make_unique<Same>(candidates, 1e-3, &asked));
  ContextKnowledge other(all, key_of(8192), std::make_unique<Same>(candidates, 1e-3, &asked));
  one.spend(0.25);
  other.spend(0.5);
  one.spend(1);
  EXPECT_EQ(one.spent_elsewhere(), 0.5);
  EXPECT_EQ(other.spent_elsewhere(), 1.25);
}

}  // namespace
}  // namespace starling::testing
