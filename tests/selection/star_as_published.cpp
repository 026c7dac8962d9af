// star as published: no run-off, STAR-MPI's lists of algorithms, and times recorded with them.

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "lockstep.hpp"
#include "paper_repository.hpp"
#include "recorded_times.hpp"

namespace starling::testing {
namespace {

struct Outcome {
  int calls;
  std::string selected;
};

/// Runs Measure_Select on the times that were recorded of each candidate, call by call.
Outcome measure_select(std::string_view strategy, const Brief& brief, const Recorded& recorded) {
  std::vector<std::size_t> calls(brief.candidates.size(), 0);
  double seconds = 0;
  Lockstep ranks(strategy, brief, 4, [&](int rank, int candidate, int) {
    const auto index = static_cast<std::size_t>(candidate);
    const std::vector<double>& times = recorded.at(brief.candidates[index].name.text());
    if (rank == 0) seconds = 1e-3 * times[calls[index]++ % times.size()];
    return seconds;
  });
  while (ranks.strategy().stage() != "monitor_adapt" && ranks.made().size() < 1000 &&
         !::testing::Test::HasFatalFailure())
    ranks.call();
  return {static_cast<int>(ranks.made().size()),
          brief.candidates[static_cast<std::size_t>(ranks.proposed())].name.text()};
}

double best_of(const std::vector<double>& times) {
  return *std::min_element(times.begin(), times.end());
}

TEST(AsPublished, ListsHaveAsManyAlgorithmsAndGroupsAsInThePaper) {
  const auto eligible = [](const Brief& brief) {
    return std::count_if(brief.candidates.begin(), brief.candidates.end(),
                         [](const Candidate& one) { return one.eligible(); });
  };
  const auto groups = [](const Brief& brief) {
    std::map<std::string, int> sizes;
    for (const Candidate& one : brief.candidates)
      if (one.eligible()) ++sizes[one.group.text()];
    std::vector<int> sorted;
    for (const auto& [name, size] : sizes) sorted.push_back(size);
    std::sort(sorted.begin(), sorted.end());
    return sorted;
  };
  EXPECT_EQ(eligible(paper::alltoall(256)), 13);
  EXPECT_EQ(groups(paper::alltoall(256)), (std::vector{1, 2, 2, 2, 2, 4}));
  EXPECT_EQ(eligible(paper::alltoall(2048)), 9);
  EXPECT_EQ(groups(paper::alltoall(2048)), (std::vector{1, 2, 2, 2, 2}));
  EXPECT_EQ(eligible(paper::allgather()), 12);
  EXPECT_EQ(groups(paper::allgather()), (std::vector{1, 1, 2, 2, 2, 4}));
  EXPECT_EQ(eligible(paper::allreduce()), 20);
  EXPECT_EQ(groups(paper::allreduce()), (std::vector{5, 6, 9}));
}

/// Calls that table 1 has for `star`: the first of each group, then the others of the fastest.
int calls_by_groups(const Brief& brief, const std::string& selected) {
  const auto chosen = std::find_if(brief.candidates.begin(), brief.candidates.end(),
                                   [&](const Candidate& one) { return one.name == selected; });
  std::map<std::string, int> sizes;
  for (const Candidate& one : brief.candidates)
    if (one.eligible()) ++sizes[one.group.text()];
  return 10 * (static_cast<int>(sizes.size()) + sizes[chosen->group.text()] - 1);
}

TEST(AsPublished, TakesTheCallsOfTableOneOnRecordedTimesWhoseDifferencesAreSmall) {
  for (const auto& [collective, basic_calls] :
       {std::pair{Collective::alltoall, 90}, {Collective::allgather, 120}, {Collective::allreduce, 200}}) {
    SCOPED_TRACE(name_of(collective));
    const Brief brief = paper::of(collective, 2048);
    const Recorded& recorded = recorded_times(collective);
    const Outcome basic = measure_select("star-basic", brief, recorded);
    EXPECT_EQ(basic.calls, basic_calls);
    for (const auto& [name, times] : recorded)
      EXPECT_LE(best_of(recorded.at(basic.selected)), best_of(times)) << name << " had a faster call";
    const Outcome grouped = measure_select("star", brief, recorded);
    EXPECT_EQ(grouped.calls, calls_by_groups(brief, grouped.selected));
    EXPECT_LE(best_of(recorded.at(grouped.selected)), 1.1 * best_of(recorded.at(basic.selected)))
        << "grouping gives away a little at most";
  }
}

TEST(AsPublished, HasNoRunOffHoweverSmallTheDifferencesAre) {
  for (const bool run_off : {false, true}) {
    Brief brief = paper::allgather();
    Candidate native;
    native.name = native.group = "native";
    std::vector<Candidate>& all = brief.candidates.own();
    all.insert(all.begin(), native);
    brief.settings.run_off = run_off;
    Recorded recorded = recorded_times(Collective::allgather);
    recorded["native"] = recorded.at("simple");
    for (double& time : recorded["native"]) time *= 1.3;
    const Outcome outcome = measure_select("star", brief, recorded);
    EXPECT_EQ(outcome.calls - calls_by_groups(brief, outcome.selected), run_off ? 32 : 0);
  }
}

}  // namespace
}  // namespace starling::testing
