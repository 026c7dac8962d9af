#include "selection/strategy.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <string>

#include "lockstep.hpp"
#include "selection/figures.hpp"
#include "sources.hpp"

namespace starling::testing {
namespace {

TEST(StrategyNames, AreThoseOfTheCommandLine) {
  for (const char* name : {"native", "forced", "star-basic"}) {
    const auto found = strategy_named(name);
    ASSERT_TRUE(found) << name;
    EXPECT_EQ(found->first->name, name);
    EXPECT_EQ(found->second, "");
  }
}

TEST(StrategyNames, TakeAnArgumentOnlyWhereTheKindDoes) {
  ASSERT_TRUE(strategy_named("forced:allreduce:ring"));
  EXPECT_EQ(strategy_named("forced:allreduce:ring")->second, "allreduce:ring");
  EXPECT_FALSE(strategy_named("native:ring"));
  EXPECT_FALSE(strategy_named("star-basic:"));
}

TEST(StrategyNames, AreNotGuessed) {
  for (const char* name : {"", "sta", "stars", "Native", "native ", "forcedring"})
    EXPECT_FALSE(strategy_named(name)) << name;
}

TEST(EveryStrategy, HasANameOfItsOwnASentenceAndASource) {
  std::set<std::string_view> seen;
  for (const StrategyKind& kind : strategy_kinds()) {
    EXPECT_TRUE(seen.insert(kind.name).second) << kind.name;
    EXPECT_FALSE(kind.says.empty()) << kind.name;
    EXPECT_FALSE(kind.source.empty()) << kind.name;
    EXPECT_EQ(kind.rejects != nullptr, !kind.argument.empty()) << kind.name;
    ASSERT_NE(kind.make, nullptr) << kind.name;
  }
}

std::filesystem::path repository_root() {
  return source_root();
}

TEST(EveryStrategy, IsNamedAsItsFileWithDashes) {
  std::set<std::string> files;
  for (const auto& entry : std::filesystem::directory_iterator(repository_root() / "src/selection/strategies")) {
    std::string name = entry.path().stem();
    std::replace(name.begin(), name.end(), '_', '-');
    files.insert(name);
  }
  std::set<std::string> names;
  for (const StrategyKind& kind : strategy_kinds()) names.emplace(kind.name);
  EXPECT_EQ(names, files) << "round_robin.cpp makes the strategy round-robin";
}

TEST(EveryStrategy, IsInTheTableOfTheManual) {
  std::ifstream file(repository_root() / "docs/strategies.md");
  const std::string manual{std::istreambuf_iterator<char>(file), {}};
  for (const StrategyKind& kind : strategy_kinds()) {
    const std::string cell = "\n| `" + std::string(kind.name) +
                             (kind.forces             ? ":"
                              : kind.argument.empty() ? "`"
                                                      : "[:");
    EXPECT_NE(manual.find(cell), std::string::npos) << "docs/strategies.md does not name " << kind.name;
  }
}

/// Ranks meet before the first call only where the descriptor says that one may tell the others something.
TEST(EveryStrategy, SaysInWhichContextsTheFirstRankTellsTheOthers) {
  for (const StrategyKind& kind : strategy_kinds())
    for (const std::int64_t bytes : {8, 65536})
      for (const bool known : {false, true}) {
        Brief brief = brief_of(4);
        brief.key = {.what = "allreduce", .bytes = bytes, .ranks = 3};
        if (kind.forces) brief.argument = "a1";
        if (known) brief.candidates.own()[1].earlier = Earlier{1e-3, 10, {}};
        brief.tells_first = kind.may_be_told != nullptr && kind.may_be_told(brief);
        EXPECT_TRUE(brief.tells_first || kind.make(brief)->opening().empty()) << kind.name << ", " << bytes << " B";
      }
}

TEST(Decisions, AreKeptUpToAHundred) {
  class Fickle final : public Strategy {
   public:
    std::span<const double> observe(double /*seconds*/, double /*work*/) override {
      decide({++call_, 0, 0, "a whim"});
      return {};
    }
    void verdict(std::span<const double> /*agreed*/) override {}
    [[nodiscard]] std::string_view stage() const override { return "fickle"; }
    [[nodiscard]] bool exploring() const override { return true; }

   private:
    std::int64_t call_ = 0;
  };
  Fickle fickle;
  for (int i = 0; i < 250; ++i) fickle.observe(1, 0);
  EXPECT_EQ(fickle.decisions().size(), decisions_kept);
  EXPECT_EQ(fickle.decisions().back().call, 250);
  EXPECT_EQ(fickle.decisions_dropped(), 150);
}

/// Any strategy, on ranks that measure different times and with some candidates not eligible.
TEST(EveryStrategy, KeepsRanksInStepOnCandidatesThatMayBeUsedAndSaysWhy) {
  for (const StrategyKind& kind : strategy_kinds()) {
    SCOPED_TRACE(kind.name);
    Brief brief = brief_of(6);
    for (const int refused : {2, 5})
      brief.candidates.own()[static_cast<std::size_t>(refused)].refusal = "is not for here";
    for (std::size_t i = 0; i < brief.candidates.size(); ++i)
      brief.candidates.own()[i].group = i == 0 ? "native" : "group " + std::to_string(i / 2);
    if (kind.forces) brief.argument = "a1";
    // The fast candidates change every 300 calls.
    Lockstep ranks(kind.name, brief, 3, [](int rank, int candidate, int call) {
      const int burden = (call / 300 + candidate) % 4;
      return 1e-6 * (10 + 20 * burden + (rank * 7 + candidate * 5 + call * 3) % 11);
    });
    for (int i = 0; i < 2000; ++i) {
      ranks.call();
      const std::string_view stage = ranks.strategy().stage();
      EXPECT_TRUE(
          std::any_of(kind.stages.begin(), kind.stages.end(), [&](const Doing& one) { return one.name == stage; }))
          << "its descriptor does not name the stage '" << stage << "'";
    }
    EXPECT_EQ(ranks.made().size(), 2000U);
    const auto may_be_used = [&](int candidate) {
      return candidate >= 0 && candidate < 6 && candidate != 2 && candidate != 5;
    };
    EXPECT_TRUE(std::all_of(ranks.made().begin(), ranks.made().end(), may_be_used));
    for (const Decision& decision : ranks.strategy().decisions()) {
      EXPECT_FALSE(decision.why.empty()) << "call " << decision.call;
      EXPECT_TRUE(may_be_used(decision.to)) << decision.why;
      EXPECT_TRUE(decision.call >= 0 && decision.call <= 2000) << decision.why;
    }
  }
}

/// As calls without data are, behind calls of many sizes.
TEST(EveryStrategy, LeavesCallsOfVaryingWorkToNativeWhereNothingElseIsEligible) {
  for (const StrategyKind& kind : strategy_kinds()) {
    if (kind.forces) continue;
    SCOPED_TRACE(kind.name);
    Brief brief = brief_of(3);
    brief.varying_work = true;
    brief.candidates.own()[1].refusal = brief.candidates.own()[2].refusal = "is not for here";
    Lockstep ranks(kind.name, brief, 2,
                   [](int /*rank*/, int /*candidate*/, int call) { return 1e-6 * (10 + call % 7); });
    ranks.call(1000);
    EXPECT_EQ(std::count(ranks.made().begin(), ranks.made().end(), 0), 1000);
  }
}

TEST(TriedInstead, IsTheFastestOfEarlierRunsElseTheFirst) {
  using Numbers = std::vector<std::optional<int>>;
  const Numbers alike{std::nullopt, 4, 9, 4, 4, 9, 1};
  const auto nothing = [](int) { return std::optional<double>(); };
  EXPECT_EQ(tried_instead(alike, nothing), (Numbers{std::nullopt, std::nullopt, std::nullopt, 1, 1, 2, std::nullopt}));
  const auto some = [](int i) { return i == 3 ? std::optional(2e-6) : i == 4 ? std::optional(1e-6) : std::nullopt; };
  EXPECT_EQ(tried_instead(alike, some), (Numbers{std::nullopt, 4, std::nullopt, 4, std::nullopt, 2, std::nullopt}));
  EXPECT_TRUE(tried_instead({}, nothing).empty());
}

TEST(TimeInWords, HasThreeDigitsAndTheUnitOfTheReport) {
  EXPECT_EQ(time_in_words(0), "0.00 us");
  EXPECT_EQ(time_in_words(8.254e-6), "8.25 us");
  EXPECT_EQ(time_in_words(9.999e-6), "10.0 us");
  EXPECT_EQ(time_in_words(12.34e-6), "12.3 us");
  EXPECT_EQ(time_in_words(99.99e-6), "100 us");
  EXPECT_EQ(time_in_words(999.4e-6), "999 us");
  EXPECT_EQ(time_in_words(999.6e-6), "1.00 ms");
  EXPECT_EQ(time_in_words(1.58e-3), "1.58 ms");
  EXPECT_EQ(time_in_words(0.9999), "1.00 s");
  EXPECT_EQ(time_in_words(1234), "1234 s");
}

TEST(PercentInWords, HasADigitBehindThePointWhereItMatters) {
  EXPECT_EQ(percent_in_words(0), "0 %");
  EXPECT_EQ(percent_in_words(0.02), "2 %");
  EXPECT_EQ(percent_in_words(0.0044), "0.4 %");
  EXPECT_EQ(percent_in_words(-0.123), "-12 %");
  EXPECT_EQ(percent_in_words(1.5), "150 %");
}

}  // namespace
}  // namespace starling::testing
