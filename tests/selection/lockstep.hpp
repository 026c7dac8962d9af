#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "selection/strategy.hpp"

namespace starling::testing {

/// A microsecond, in seconds.
constexpr double us = 1e-6;

/// A brief of `count` candidates, all eligible: native, a1, a2, ...
inline Brief brief_of(int count) {
  Brief brief;
  for (int i = 0; i < count; ++i) {
    Candidate candidate;
    candidate.name = i == 0 ? "native" : std::string("a").append(std::to_string(i));
    brief.candidates.own().push_back(candidate);
  }
  return brief;
}

/// Seconds of a candidate: each is slower than those before it.
inline double slower_the_later(int /*rank*/, int candidate, int /*call*/) {
  return us * (10 + candidate);
}

/// Several ranks with one strategy each that make the same calls, like the runtime but without MPI. Every rank measures
/// its own seconds; numbers that the strategies return are averaged over ranks, or their maximum taken, and passed to
/// `verdict`. Ranks that propose different candidates, or return different amounts of numbers, fail the test.
class Lockstep {
 public:
  /// Seconds that `rank` measures of `candidate` in the context's call number `call`, from 0.
  using Timing = std::function<double(int rank, int candidate, int call)>;
  /// Bytes that `rank` has in that call.
  using Work = std::function<double(int rank, int call)>;

  struct Exchange {
    int call;  ///< calls made before it
    std::size_t numbers;
    bool operator==(const Exchange&) const = default;
  };

  Lockstep(
      std::string_view strategy, Brief brief, int ranks, Timing timing, Work work = [](int, int) { return 0.0; })
      : timing_(std::move(timing)), work_(std::move(work)) {
    const auto named = strategy_named(strategy);
    if (brief.argument.empty()) brief.argument = named.value().second;
    for (int rank = 0; rank < ranks; ++rank) {
      brief.is_first_rank = rank == 0;
      ranks_.push_back(named.value().first->make(brief));
      brief.knowledge = nullptr;
    }
    std::vector<double> told;
    for (const auto& one : ranks_) {
      const std::span<double> numbers = one->opening();
      if (&one == &ranks_.front()) told.assign(numbers.begin(), numbers.end());
      EXPECT_EQ(numbers.size(), told.size());
    }
    if (told.empty()) return;
    for (const auto& one : ranks_) one->verdict(told);
  }

  /// Makes `count` calls.
  void call(int count = 1) {
    for (; count > 0; --count) one_call();
  }

  /// Uses other timings from here on.
  void measure(Timing timing) { timing_ = std::move(timing); }
  /// All calls begin so many seconds after the ranks met in another collective.
  void meet(double before) { since_meeting_ = before; }
  /// Seconds that the program then takes from the end of a call by a candidate to the next call.
  void compute(std::function<double(int candidate)> between) { between_ = std::move(between); }

  [[nodiscard]] int proposed() const { return ranks_.front()->proposed(); }
  [[nodiscard]] const Strategy& strategy() const { return *ranks_.front(); }
  /// The candidate of every call so far.
  [[nodiscard]] const std::vector<int>& made() const { return made_; }
  [[nodiscard]] const std::vector<Exchange>& exchanges() const { return exchanges_; }
  /// What the ranks agreed on in the last exchange.
  [[nodiscard]] const std::vector<double>& agreed() const { return agreed_; }

 private:
  void one_call() {
    const int candidate = proposed();
    std::vector<std::span<const double>> handed_out;
    for (std::size_t rank = 0; rank < ranks_.size(); ++rank) {
      ASSERT_EQ(ranks_[rank]->proposed(), candidate)
          << "rank " << rank << " left the others before call " << made_.size();
      const int call = static_cast<int>(made_.size());
      if (since_meeting_) ranks_[rank]->came_after(*since_meeting_);
      handed_out.push_back(
          ranks_[rank]->observe(timing_(static_cast<int>(rank), candidate, call), work_(static_cast<int>(rank), call)));
      ASSERT_EQ(handed_out.back().size(), handed_out.front().size()) << "rank " << rank << " hands out another amount";
    }
    made_.push_back(candidate);
    if (between_) stretch_ += timing_(0, candidate, static_cast<int>(made_.size()) - 1) + between_(candidate);
    if (handed_out.front().empty()) return;
    exchanges_.push_back({static_cast<int>(made_.size()), handed_out.front().size()});
    const bool is_maximum = ranks_.front()->reduction() == Reduction::maximum;
    agreed_.assign(handed_out.front().size(), is_maximum ? -std::numeric_limits<double>::infinity() : 0);
    const std::size_t before_means = is_maximum ? agreed_.size() - ranks_.front()->means() : 0;
    std::fill(agreed_.begin() + static_cast<std::ptrdiff_t>(before_means), agreed_.end(), 0);
    for (const auto& local : handed_out)
      for (std::size_t i = 0; i < local.size(); ++i)
        agreed_[i] = i < before_means ? std::max(agreed_[i], local[i])
                                      : agreed_[i] + (local[i] / static_cast<double>(ranks_.size()));
    ranks_.front()->stretch_took(std::exchange(stretch_, 0));
    if (ranks_.front()->judge() == Judge::first_rank) {
      const std::span<const double> ruling = ranks_.front()->ruling(agreed_);
      ASSERT_EQ(ruling.size(), agreed_.size()) << "what is broadcast is as long as what was reduced";
      agreed_.assign(ruling.begin(), ruling.end());
    }
    for (const auto& rank : ranks_) rank->verdict(agreed_);
  }

  Timing timing_;
  Work work_;
  std::vector<std::unique_ptr<Strategy>> ranks_;
  std::vector<int> made_;
  std::vector<Exchange> exchanges_;
  std::vector<double> agreed_;
  std::optional<double> since_meeting_;
  std::function<double(int candidate)> between_;
  double stretch_ = 0;  ///< since the latest exchange; 0 where nothing is known of the program
};

}  // namespace starling::testing
