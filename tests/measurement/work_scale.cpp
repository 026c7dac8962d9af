#include "measurement/work_scale.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <random>
#include <string>

namespace starling::testing {
namespace {

constexpr double us = 1e-6;
constexpr double smallest = 100;
constexpr double largest = 100 * smallest;

double seconds_of(const Growth& truth, double work) {
  return truth.at(work);
}

WorkSums calls_of(const Growth& truth, const std::vector<double>& works) {
  WorkSums sums;
  for (const double work : works) sums.add(work, seconds_of(truth, work));
  return sums;
}

const std::vector<double> spread{100, 5000, 300, 10000, 1000, 200, 7000, 150, 2500, 600};

TEST(CommonGrowth, IsThatOfCallsThatDifferByAFactorOnly) {
  const Growth truth{20 * us, 0.01 * us};
  std::vector<WorkSums> sums;
  for (const double factor : {1.0, 3.0, 0.5}) sums.push_back(calls_of({factor * 20 * us, factor * 0.01 * us}, spread));
  const Growth common = common_growth(sums);
  EXPECT_NEAR(common.latency / common.rate, truth.latency / truth.rate, 0.02 * truth.latency / truth.rate);
}

TEST(CommonGrowth, DoesNotDependOnWorkWhereThereIsNone) {
  EXPECT_EQ(common_growth({}).rate, 0);
  EXPECT_EQ(common_growth(std::array{calls_of({20 * us, 0}, {0, 0, 0})}).rate, 0);
}

TEST(OwnGrowth, IsThatOfTheCallsAsFarAsTheyDetermineIt) {
  const Growth common{20 * us, 0.01 * us};
  const Growth truth{80 * us, 0.001 * us};
  const Growth own = own_growth(calls_of(truth, spread), common);
  for (const double work : {100.0, 1000.0, 10000.0})
    EXPECT_NEAR(own.at(work) / own.at(1000), truth.at(work) / truth.at(1000), 0.05) << work;
  const Growth leaning = own_growth(calls_of(truth, {1000, 1000, 1000}), common);
  EXPECT_NEAR(leaning.latency / leaning.rate, common.latency / common.rate, 0.02 * common.latency / common.rate)
      << "calls that are all alike tell nothing";
}

TEST(OwnGrowth, IsHardlyChangedByADelayedCall) {
  const Growth truth{20 * us, 0.01 * us};
  WorkSums sums = calls_of(truth, spread);
  sums.add(1000, 50 * seconds_of(truth, 1000));
  const Growth own = own_growth(sums, truth);
  EXPECT_NEAR(own.at(10000) / own.at(100), truth.at(10000) / truth.at(100), 0.03 * truth.at(10000) / truth.at(100));
}

TEST(WorkScale, LeavesTimesAsTheyAreWhereWorkIsTheSame) {
  WorkScale scale(2);
  for (int call = 0; call < 10; ++call) {
    scale.add(0, 4096, 10 * us);
    scale.add(1, 4096, (20 + call) * us);
  }
  scale.fit();
  scale.refer(20 * 4096.0, 20);
  for (const std::size_t candidate : {0, 1}) EXPECT_NEAR(scale.factor(candidate, 4096), 1, 1e-12);
}

TEST(WorkScale, LeavesTimesAsTheyAreWhereThereIsNoWork) {
  WorkScale scale(2);
  EXPECT_EQ(scale.factor(0, 0), 1);
  scale.add(0, 0, 10 * us);
  scale.add(1, 0, 0);
  scale.fit();
  scale.refer(0, 2);
  for (const std::size_t candidate : {0, 1}) EXPECT_EQ(scale.factor(candidate, 0), 1);
}

TEST(WorkScale, ScalesTimesToTheMeanWorkOfTheLatestCalls) {
  WorkScale scale(1);
  const Growth truth{20 * us, 0.01 * us};
  for (const double work : spread) scale.add(0, work, seconds_of(truth, work));
  scale.fit();
  scale.refer(10 * 100.0, 10);
  EXPECT_EQ(scale.reference(), 100);
  EXPECT_NEAR(truth.at(5000) * scale.factor(0, 5000), truth.at(100), 0.01 * truth.at(100));
  scale.refer(1000000 * 5000.0, 1000000);
  EXPECT_NEAR(scale.reference(), 5000, 1) << "those before are forgotten";
}

TEST(WorkScale, ForgetsAThousandfoldWorkAfterSomeHundredCalls) {
  WorkScale scale(1);
  for (int call = 0; call < 1000; ++call) scale.refer(1e6, 1);
  for (int call = 0; call < 201; ++call) scale.refer(1000, 1);
  EXPECT_EQ(scale.reference(), 1000);
  scale.forget_range();
  EXPECT_FALSE(scale.has_reference());
  EXPECT_EQ(scale.reference(), 0);
}

TEST(WorkScale, KeepsRareLargeCallsInTheMean) {
  WorkScale scale(1);
  double least = 1e9;
  double most = 0;
  for (int call = 0; call < 2000; ++call) {
    scale.refer(call % 50 == 7 ? 1e6 : 0, 1);
    if (call < 200) continue;
    least = std::min(least, scale.reference());
    most = std::max(most, scale.reference());
  }
  EXPECT_GT(least, 1e6 / 50 / 2);
  EXPECT_LT(most, 1e6 / 50 * 2);
}

TEST(WorkScale, CallsAreFarThatHaveMoreThanFourTimesTheWorkOfAllOrLessThanAQuarter) {
  WorkScale scale(2);
  EXPECT_FALSE(scale.is_far(1000)) << "there are no calls to compare with";
  scale.add(0, 1000, 10 * us);
  scale.add(1, 3000, 20 * us);
  for (const double near : {250.0, 1000.0, 12000.0}) EXPECT_FALSE(scale.is_far(near)) << near;
  EXPECT_FALSE(scale.is_far(0)) << "calls without work tell nothing";
  EXPECT_TRUE(scale.is_far(12001));
  EXPECT_FALSE(scale.is_far(12001)) << "once";
  EXPECT_FALSE(scale.is_far(48000)) << "now it is within four times the largest";
  EXPECT_TRUE(scale.is_far(249));
  EXPECT_FALSE(scale.is_far(249));
}

TEST(WorkScale, OnceTheRangeIsForgottenEarlierSizesAreFar) {
  WorkScale scale(1);
  scale.add(0, 1000, 10 * us);
  EXPECT_TRUE(scale.is_far(100000));
  scale.forget_range();
  EXPECT_FALSE(scale.is_far(1000)) << "there are no calls to compare with";
  scale.add(0, 100000, 500 * us);
  EXPECT_TRUE(scale.is_far(1000));
}

TEST(DoubtOfGrowth, IsSmallWhereTheCallsHadThatWorkAndGrowsWithTheDistance) {
  const Growth truth{20 * us, 0.01 * us};
  const WorkSums sums = calls_of(truth, std::vector<double>(10, 2000));
  double before = -1;
  for (const double factor : {1.0, 3.0, 10.0, 100.0}) {
    const double larger = doubt_of_growth(sums, truth, 2000 * factor);
    const double smaller = doubt_of_growth(sums, truth, 2000 / factor);
    EXPECT_GT(larger, before) << factor;
    EXPECT_NEAR(smaller, larger, 0.02) << "half of such a call is latency, so both sides are alike";
    before = larger;
  }
  EXPECT_LT(doubt_of_growth(sums, truth, 2000), 0.01);
  EXPECT_GT(before, 0.3);
}

TEST(DoubtOfGrowth, EndsWithCallsOfThatWork) {
  const Growth truth{20 * us, 0.01 * us};
  std::vector<double> works(10, 1000);
  const double unknown = doubt_of_growth(calls_of(truth, works), truth, 100000);
  works.push_back(100000);
  const double after_one = doubt_of_growth(calls_of(truth, works), truth, 100000);
  works.insert(works.end(), 9, 100000);
  const double known = doubt_of_growth(calls_of(truth, works), truth, 100000);
  EXPECT_GT(unknown, 3 * after_one);
  EXPECT_LT(known, 0.5 * after_one);
  EXPECT_LT(known, 0.03);
}

TEST(DoubtOfGrowth, IsNoneWhereCallsHaveNoWorkOrTheirTimeDoesNotDependOnIt) {
  EXPECT_EQ(doubt_of_growth({}, {20 * us, 0.01 * us}, 1000), 0);
  EXPECT_EQ(doubt_of_growth(calls_of({20 * us, 0}, {0, 0, 0}), {20 * us, 0}, 1000), 0);
  EXPECT_EQ(WorkScale(1).doubt(0), 0);
}

TEST(DoubtOfGrowth, IsHowFarTheTimeIsFromTheFitted) {
  // Candidates whose growth differs from the common one as usual, known at one size and asked for at a larger one.
  std::mt19937 random(7);
  std::normal_distribution<double> normal;
  const Growth common{20 * us, 0.01 * us};
  for (const double work : {6000.0, 60000.0}) {
    double squares = 0;
    double expected = 0;
    constexpr int candidates = 2000;
    for (int i = 0; i < candidates; ++i) {
      const double tilt = std::exp(0.4 * normal(random));
      const Growth truth{common.latency * tilt, common.rate / tilt};
      WorkSums sums;
      for (int call = 0; call < 10; ++call) sums.add(2000, truth.at(2000) * std::exp(0.08 * normal(random)));
      const Growth own = own_growth(sums, common);
      const double error = std::log(own.at(work) / own.at(2000) * truth.at(2000) / truth.at(work));
      const double doubt = doubt_of_growth(sums, common, work);
      squares += error * error;
      expected += doubt * doubt;
    }
    EXPECT_GT(expected, 0.5 * squares) << work;
    EXPECT_LT(expected, 2 * squares) << work;
  }
}

/// Candidates that trade latency for bandwidth; each is best at another size.
class Bench {
 public:
  explicit Bench(unsigned seed) : random_(seed) {
    const double middle = std::sqrt(smallest * largest);
    for (Growth& one : truth_) {
      const double level = 10 * us * std::exp(0.35 * normal_(random_));
      const double tilt = std::exp(normal_(random_));
      one = {level * tilt, level / tilt / middle};
    }
    for (int round = 0; round < 10; ++round) {
      for (std::size_t i = 0; i < truth_.size(); ++i) {
        const double work = smallest * std::pow(largest / smallest, uniform_(random_));
        const double held_up = uniform_(random_) < 0.03 ? 3 : 1;
        calls_.push_back({i, work, truth_[i].at(work) * std::exp(0.08 * normal_(random_)) * held_up});
      }
    }
  }

  struct Call {
    std::size_t candidate;
    double work;
    double seconds;
  };

  /// The time at the mean work of the candidate with the best call, relative to the fastest: 1 where the choice is
  /// right.
  template <typename Adjusted>
  double regret(Adjusted adjusted) const {
    std::array<double, 10> best{};
    best.fill(1e9);
    double mean = 0;
    for (const Call& call : calls_) {
      best[call.candidate] = std::min(best[call.candidate], adjusted(call));
      mean += call.work / static_cast<double>(calls_.size());
    }
    const auto chosen = static_cast<std::size_t>(std::min_element(best.begin(), best.end()) - best.begin());
    double least = 1e9;
    for (const Growth& one : truth_) least = std::min(least, one.at(mean));
    return truth_[chosen].at(mean) / least;
  }

  /// The same with times scaled to the mean work.
  double regret_of_scale() const {
    WorkScale scale(truth_.size());
    double work = 0;
    for (const Call& call : calls_) {
      scale.add(call.candidate, call.work, call.seconds);
      work += call.work;
    }
    scale.fit();
    scale.refer(work, static_cast<double>(calls_.size()));
    return regret([&](const Call& call) { return call.seconds * scale.factor(call.candidate, call.work); });
  }

 private:
  std::mt19937 random_;
  std::normal_distribution<double> normal_;
  std::uniform_real_distribution<double> uniform_;
  std::array<Growth, 10> truth_{};
  std::vector<Call> calls_;
};

TEST(WorkScale, FindsTheBestOfTenByTenNoisyCallsOfSizesThatVaryByAHundred) {
  constexpr int benches = 300;
  double mean = 0;
  int good = 0;
  int good_by_time = 0;
  int good_by_rate = 0;
  for (unsigned seed = 1; seed <= benches; ++seed) {
    const Bench bench(seed);
    const double regret = bench.regret_of_scale();
    mean += regret / benches;
    good += regret < 1.05 ? 1 : 0;
    good_by_time += bench.regret([](const Bench::Call& call) { return call.seconds; }) < 1.05 ? 1 : 0;
    good_by_rate += bench.regret([](const Bench::Call& call) { return call.seconds / call.work; }) < 1.05 ? 1 : 0;
  }
  RecordProperty("within five percent", good);
  RecordProperty("by time", good_by_time);
  RecordProperty("by rate", good_by_rate);
  EXPECT_GT(good, 0.92 * benches) << "within 5 % of the best";
  EXPECT_LT(mean, 1.02);
  EXPECT_LT(good_by_time, 0.5 * benches) << "times as they are do not find it";
  EXPECT_LT(good_by_rate, 0.7 * benches) << "nor do times by bytes";
}

}  // namespace
}  // namespace starling::testing
