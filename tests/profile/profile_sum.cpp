#include "profile/profile_sum.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <vector>

namespace starling::testing {
namespace {

ContextRecord context(const char* collective, std::int64_t bytes, int ranks, std::int64_t calls = 0) {
  ContextRecord record{.collective = collective, .ranks = ranks, .nodes = 1, .ranks_per_node = ranks, .calls = calls};
  if (bytes >= 0) record.bytes = bytes;
  return record;
}

/// Calls of one rank, whose seconds, and those before them, `time` and `before` tell by their number.
struct Calls {
  SampledCalls sampled;
  double seconds = 0;

  Calls(
      int count, const std::function<double(int)>& time,
      const std::function<double(int)>& before = [](int) { return 0.0; }) {
    for (int call = 0; call < count; ++call) {
      sampled.add(time(call), before(call));
      seconds += time(call);
    }
  }
};

/// The sum of all ranks' profiles, along a binomial tree.
ProfileSum sum_of(std::vector<ProfileSum> ranks) {
  for (std::size_t distance = 1; distance < ranks.size(); distance *= 2)
    for (std::size_t rank = 0; rank + distance < ranks.size(); rank += 2 * distance)
      ranks[rank].add(ranks[rank + distance].text());
  return ranks.front();
}

ContextProfile told(const ProfileSum& sum, const ContextRecord& of) {
  std::vector<ContextRecord> contexts{of};
  sum.tell(contexts);
  EXPECT_TRUE(contexts.front().profile.has_value());
  return contexts.front().profile.value_or(ContextProfile{});
}

constexpr double transfer = 1e-5;
constexpr double lateness = 1e-3;

/// Profiles of the ranks of one group, in a context of `count` calls to which `late(call)` came last, after as many
/// seconds of its own as `work` says; others had none.
std::vector<ProfileSum> with_late_ranks(const ContextRecord& key, int count, const std::function<int(int)>& late,
                                        double work = 0) {
  std::vector<ProfileSum> ranks(static_cast<std::size_t>(key.ranks));
  for (int rank = 0; rank < key.ranks; ++rank) {
    const Calls calls(
        count, [&](int call) { return late(call) == rank ? transfer : transfer + lateness; },
        [&](int call) { return late(call) == rank ? work : 0; });
    ranks[static_cast<std::size_t>(rank)].add(key, {.rank = rank,
                                                    .is_first = rank == 0,
                                                    .group = 7,
                                                    .calls = count,
                                                    .seconds = calls.seconds,
                                                    .sampled = calls.sampled.kept()});
  }
  return ranks;
}

TEST(ProfileSum, NamesTheRankThatOthersWaitFor) {
  for (const int count : {1, 2, 50, 64, 65, 1000, 100'000}) {
    const ContextRecord key = context("allreduce", 8, 5, count);
    const ContextProfile profile = told(sum_of(with_late_ranks(key, count, [](int) { return 3; })), key);
    EXPECT_EQ(profile.ranks, 5);
    EXPECT_EQ(profile.communicators, 1);
    EXPECT_NEAR(profile.rank_seconds, count * (5 * transfer + 4 * lateness), 1e-6 * count);
    EXPECT_NEAR(profile.waiting_rank_seconds.value_or(-1), count * 4 * lateness, 1e-6 * count) << count;
    ASSERT_EQ(profile.last.size(), 1U);
    EXPECT_EQ(profile.last[0].rank, 3);
    EXPECT_EQ(profile.last[0].calls, profile.sampled_calls);
    EXPECT_EQ(profile.quickest_rank, 3);
    EXPECT_NE(profile.slowest_rank, 3);
  }
}

TEST(ProfileSum, SeesTheWaitingWhereEachCallHasAnotherLateRank) {
  // All ranks spend equally many seconds: their sums alone would show no waiting.
  const int count = 60'000;
  const ContextRecord key = context("alltoall", 64, 4, count);
  const ContextProfile profile = told(sum_of(with_late_ranks(key, count, [](int call) { return call % 4; })), key);
  EXPECT_NEAR(profile.slowest_rank_seconds, profile.quickest_rank_seconds, 1e-6);
  EXPECT_NEAR(profile.waiting_rank_seconds.value_or(-1), count * 3 * lateness, 1e-4 * count * lateness);
  ASSERT_EQ(profile.last.size(), 4U);
  for (const LastRank& one : profile.last) EXPECT_GT(one.calls, profile.sampled_calls / 8);
}

TEST(ProfileSum, TellsWaitingForWorkFromWaitingForRanksThatWereLetGoLate) {
  for (const int count : {1, 50, 5000}) {
    const ContextRecord key = context("allreduce", 8, 4, count);
    const auto share_by = [&](double work) {
      const ContextProfile profile = told(sum_of(with_late_ranks(
                                              key, count, [](int call) { return call % 4; }, work)),
                                          key);
      return profile.unequal_work_rank_seconds.value_or(-1) / profile.waiting_rank_seconds.value_or(1);
    };
    EXPECT_DOUBLE_EQ(share_by(0), 0);
    EXPECT_NEAR(share_by(lateness / 3), 1.0 / 3, 1e-3) << count;
    EXPECT_NEAR(share_by(lateness), 1, 1e-3);
    EXPECT_NEAR(share_by(20 * lateness), 1, 1e-3) << "more work than waiting: ranks waited elsewhere";
  }
}

TEST(ProfileSum, WhatCameBeforeTheFirstOfManyCallsDoesNotCount) {
  const ContextRecord key = context("barrier", 0, 2, 30);
  std::vector<ProfileSum> ranks(2);
  for (int rank = 0; rank < 2; ++rank) {
    const Calls calls(
        30, [&](int) { return rank == 0 ? transfer : transfer + lateness; },
        [&](int call) { return call == 0 && rank == 0 ? 1e3 : 0; });
    ranks[static_cast<std::size_t>(rank)].add(key, {rank, rank == 0, 1, 30, calls.seconds, 0, calls.sampled.kept()});
  }
  EXPECT_DOUBLE_EQ(told(sum_of(ranks), key).unequal_work_rank_seconds.value_or(-1), 0);
}

TEST(ProfileSum, DoesNotGuessWhyRanksWaited) {
  const ContextRecord key = context("barrier", 0, 2, 10);
  const ContextProfile profile = told(sum_of(with_late_ranks(
                                          key, 10, [](int) { return 1; }, SampledCalls::unknown)),
                                      key);
  EXPECT_NEAR(profile.waiting_rank_seconds.value_or(-1), 10 * lateness, 1e-6);
  EXPECT_EQ(profile.unequal_work_rank_seconds, std::nullopt);
}

TEST(ProfileSum, SeesALongWaitInACallThatIsNotSampled) {
  const int count = 10'000;
  SampledCalls dry;
  for (int call = 0; call < count; ++call) dry.add(1, 0);
  int unsampled = 1;
  for (const SampledCalls::Kept& one : dry.kept()) unsampled += static_cast<int>(one.number) == unsampled ? 1 : 0;
  const ContextRecord key = context("barrier", 0, 2, count);
  std::vector<ProfileSum> ranks(2);
  for (int rank = 0; rank < 2; ++rank) {
    const Calls calls(count, [&](int call) { return call == unsampled && rank == 0 ? 5.0 : transfer; });
    ranks[static_cast<std::size_t>(rank)].add(key, {rank, rank == 0, 1, count, calls.seconds, 0, calls.sampled.kept()});
  }
  EXPECT_NEAR(told(sum_of(ranks), key).waiting_rank_seconds.value_or(-1), 5.0, 0.01);
}

TEST(ProfileSum, IsSilentOnWaitingWhereRanksNeedNotWait) {
  const ContextRecord key = context("bcast", 8, 2, 10);
  std::vector<ProfileSum> ranks(2);
  ranks[0].add(key, {.rank = 0, .is_first = true, .group = 1, .calls = 10, .seconds = 1});
  ranks[1].add(key, {.rank = 1, .is_first = false, .group = 1, .calls = 10, .seconds = 3});
  const ContextProfile profile = told(sum_of(ranks), key);
  EXPECT_EQ(profile.waiting_rank_seconds, std::nullopt);
  EXPECT_EQ(profile.slowest_rank, 1);
  EXPECT_DOUBLE_EQ(profile.slowest_rank_seconds, 3);
  EXPECT_DOUBLE_EQ(profile.quickest_rank_seconds, 1);
  EXPECT_TRUE(profile.last.empty());
}

TEST(ProfileSum, AddsUpARanksCommunicatorsAndComparesOnlyRanksOfOneGroup) {
  // Four ranks on a mesh of two by two: a row and a column for each, all with the same call key.
  const ContextRecord key = context("allgather", 16, 2, 40);
  std::vector<ProfileSum> ranks(4);
  for (int rank = 0; rank < 4; ++rank) {
    for (const bool row : {true, false}) {
      // Waits come on rows only, for the odd ranks; columns are slower.
      const double seconds = row ? (rank % 2 == 1 ? 1 : 3) : 10;
      const Calls calls(10, [&](int) { return seconds; });
      const bool is_first = row ? rank % 2 == 0 : rank < 2;
      const auto group = static_cast<std::uint64_t>(row ? rank / 2 : 2 + rank % 2);
      ranks[static_cast<std::size_t>(rank)].add(key,
                                                {rank, is_first, group, 10, calls.seconds, 0, calls.sampled.kept()});
    }
  }
  const ContextProfile profile = told(sum_of(ranks), key);
  EXPECT_EQ(profile.communicators, 4);
  EXPECT_EQ(profile.ranks, 4);
  EXPECT_DOUBLE_EQ(profile.rank_seconds, 2 * 130 + 2 * 110);
  EXPECT_DOUBLE_EQ(profile.slowest_rank_seconds, 130);
  EXPECT_NEAR(profile.waiting_rank_seconds.value_or(-1), 2 * 10 * 2, 1e-3);
  EXPECT_EQ(profile.sampled_calls, 40);
}

TEST(ProfileSum, DoesNotCompareRanksThatKeptOtherCalls) {
  const ContextRecord key = context("barrier", 0, 2, 100);
  std::vector<ProfileSum> ranks(2);
  const Calls many(100, [](int) { return 1.0; });
  const Calls few(50, [](int) { return 1.0; });
  ranks[0].add(key, {0, true, 1, 100, 100, 0, many.sampled.kept()});
  ranks[1].add(key, {1, false, 1, 50, 50, 0, few.sampled.kept()});
  EXPECT_EQ(told(sum_of(ranks), key).waiting_rank_seconds, std::nullopt);
}

TEST(ProfileSum, TellsTheMeanBlockWhereRanksCannotKnowIt) {
  const ContextRecord key = context("alltoallv", -1, 4, 5);
  std::vector<ProfileSum> ranks(4);
  // Each rank sends and receives 4 blocks of 100 bytes in each of 5 calls.
  for (int rank = 0; rank < 4; ++rank)
    ranks[static_cast<std::size_t>(rank)].add(
        key, {.rank = rank, .is_first = rank == 0, .group = 1, .calls = 5, .seconds = 1, .moved = 5 * 2 * 4 * 100});
  EXPECT_EQ(told(sum_of(ranks), key).mean_bytes, 100);
}

/// Profiles of two ranks in allreduces of `most` sizes, each once, in the order that `nth` says. Size n took n ms.
std::vector<ProfileSum> of_sizes(int most, const std::function<int(int)>& nth, bool waits = false) {
  std::vector<ProfileSum> ranks(2);
  const Calls calls(waits ? 1 : 0, [](int) { return 1.0; });
  for (int i = 0; i < most; ++i)
    for (int rank = 0; rank < 2; ++rank)
      ranks[static_cast<std::size_t>(rank)].add(context("allreduce", nth(i), 2),
                                                {rank, rank == 0, 1, 1, 0.001 * nth(i), 0, calls.sampled.kept()});
  return ranks;
}

TEST(ProfileSum, KeepsTheContextsThatTookMost) {
  constexpr int sizes = 3 * static_cast<int>(ProfileSum::most_contexts);
  const auto heaviest_first = [](int i) { return sizes - i; };
  const auto lightest_first = [](int i) { return i + 1; };
  const auto mixed = [](int i) { return 1 + ((i * 7919) % sizes); };
  for (const std::function<int(int)>& nth : {std::function<int(int)>(heaviest_first), {lightest_first}, {mixed}}) {
    std::vector<ContextRecord> all;
    for (int size = 1; size <= sizes; ++size) all.push_back(context("allreduce", size, 2, 1));
    sum_of(of_sizes(sizes, nth)).tell(all);
    int told = 0;
    for (const ContextRecord& one : all) {
      told += one.profile ? 1 : 0;
      EXPECT_TRUE(one.profile || one.bytes <= 2 * (sizes / 3) + 1) << *one.bytes;
    }
    EXPECT_GE(told, sizes / 3 - 1);
    EXPECT_LE(told, sizes / 3);
  }
}

TEST(ProfileSum, KeepsTheWaitingOfTheGroupsThatTookMost) {
  constexpr int sizes = static_cast<int>(ProfileSum::most_contexts);
  constexpr int kept = static_cast<int>(ProfileSum::most_groups);
  std::vector<ContextRecord> all;
  for (int size = 1; size <= sizes; ++size) all.push_back(context("allreduce", size, 2, 1));
  sum_of(of_sizes(
             sizes, [](int i) { return i + 1; }, true))
      .tell(all);
  int waiting = 0;
  for (const ContextRecord& one : all) {
    ASSERT_TRUE(one.profile);
    waiting += one.profile->waiting_rank_seconds ? 1 : 0;
    EXPECT_TRUE(one.profile->waiting_rank_seconds || one.bytes <= sizes - kept) << *one.bytes;
  }
  EXPECT_EQ(waiting, kept);
}

TEST(ProfileSum, TellsNothingOfAContextThatARankLeftOutForAWhile) {
  const ContextRecord early = context("allreduce", 1'000'000, 2, 2);
  const CallsOfRank of_first{.rank = 0, .is_first = true, .group = 1, .calls = 1, .seconds = 1e-6};
  const CallsOfRank of_other{.rank = 1, .is_first = false, .group = 1, .calls = 1, .seconds = 1e-6};
  std::vector<ContextRecord> known{early};
  for (const bool other_leaves_out : {false, true}) {
    for (const bool first_leaves_out : {false, true}) {
      std::vector<ProfileSum> ranks(2);
      ranks[0].add(early, of_first);
      ranks[1].add(early, of_other);
      for (int size = 1; size <= static_cast<int>(ProfileSum::most_contexts); ++size) {
        if (first_leaves_out) ranks[0].add(context("allreduce", size, 2), {0, true, 1, 1, 1, 0, {}});
        if (other_leaves_out) ranks[1].add(context("allreduce", size, 2), {1, false, 1, 1, 1, 0, {}});
      }
      ranks[0].add(early, of_first);
      ranks[1].add(early, of_other);
      known[0].profile.reset();
      sum_of(ranks).tell(known);
      EXPECT_EQ(known[0].profile.has_value(), !first_leaves_out && !other_leaves_out);
    }
  }
}

TEST(ProfileSum, StaysBoundedAndIgnoresTextThatIsNone) {
  ProfileSum sum;
  const Calls calls(3, [](int) { return 1.0; });
  for (int size = 0; size < 10'000; ++size)
    sum.add(context("allreduce", size, 2), {0, true, 1, 3, 3, 0, calls.sampled.kept()});
  EXPECT_LT(sum.text().size(), std::size_t{9} << 20);
  ProfileSum other;
  other.add(std::string());
  other.add(std::string("garbage"));
  other.add(sum.text().substr(0, 1000));
  EXPECT_LT(other.text().size(), 2000U);
}

}  // namespace
}  // namespace starling::testing
