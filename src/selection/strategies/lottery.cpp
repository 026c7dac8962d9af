// lottery: draws a candidate for the next calls by tickets, of which the fastest holds most.
//
//   every rank     calls of the candidate drawn | their mean time, reduced to rank 0
//   rank 0         average of that candidate -> tickets of all -> draw of a candidate, and of its calls (time to live)
//   every rank     gets both as one number, negative where the candidate is the fastest known
//
// The first call of a candidate also prepares it: it is not timed.

#include <array>
#include <cmath>
#include <limits>

#include "messages/told.hpp"
#include "selection/figures.hpp"
#include "selection/strategy.hpp"
#include "selection/tickets.hpp"

namespace starling::strategies {
namespace {

/// SplitMix64 (Steele, Lea and Flood 2014): the same numbers everywhere, eight bytes of state.
class Chance {
 public:
  explicit Chance(std::uint64_t seed) : state_(seed) {}
  /// A number from 0 up to, not including, 1.
  double next() {
    std::uint64_t mixed = state_ += 0x9e3779b97f4a7c15U;
    mixed = (mixed ^ (mixed >> 30U)) * 0xbf58476d1ce4e5b9U;
    mixed = (mixed ^ (mixed >> 27U)) * 0x94d049bb133111ebU;
    return std::ldexp(static_cast<double>((mixed ^ (mixed >> 31U)) >> 11U), -53);
  }

 private:
  std::uint64_t state_;
};

class Lottery final : public Strategy {
 public:
  explicit Lottery(const Brief& brief)
      : policy_(*ticket_policy(brief.argument)), settings_(brief.settings), chance_(brief.settings.seed) {
    for (std::size_t i = 0; i < brief.candidates.size(); ++i) {
      const Candidate& candidate = brief.candidates[i];
      if (!candidate.eligible()) continue;
      candidates_.push_back(static_cast<int>(i));
      names_.push_back(candidate.name);
      RunningTime& time = times_.emplace_back();
      if (!candidate.earlier) continue;
      time.known = true;
      time.mean = candidate.earlier->seconds;
    }
    prepared_.resize(candidates_.size());
    if (candidates_.size() < 2) {
      if (!candidates_.empty()) propose(candidates_.front());
      left_ = std::numeric_limits<std::int64_t>::max();
      return;
    }
    favourite_ = fastest(times_);
    if (favourite_ >= 0) {
      const auto at = static_cast<std::size_t>(favourite_);
      decide(
          {0, -1, candidates_[at], names_[at] + " was fastest in earlier runs, at " + time_in_words(times_[at].mean)});
    }
    draw(static_cast<std::size_t>(std::max(favourite_, 0)), 1);
    exploring_ = favourite_ < 0;
  }

  std::span<const double> observe(double seconds) override {
    sum_ += seconds;
    if (--left_ != 0) return {};
    return milestone();
  }

  [[nodiscard]] Judge judge() const override { return Judge::first_rank; }

  std::span<const double> ruling(std::span<const double> reduced) override {
    times_[drawn_].add(reduced[0], lives_, settings_.memory);
    const int best = fastest(times_);
    if (best != favourite_) {
      decide({calls_, favourite_ < 0 ? -1 : candidates_[static_cast<std::size_t>(favourite_)],
              candidates_[static_cast<std::size_t>(best)], why(best)});
      favourite_ = best;
    }
    const std::vector<double> shares = policy_.deal(times_, settings_.alpha);
    std::size_t choice = 0;
    for (double left = chance_.next(); choice + 1 < shares.size() && left >= shares[choice]; ++choice)
      left -= shares[choice];
    // Rounding may leave the draw on a last candidate that holds no ticket.
    if (shares[choice] <= 0) choice = static_cast<std::size_t>(favourite_);
    const double code = encoded(choice, lives_of(shares[choice]));
    told_[0] = static_cast<int>(choice) == favourite_ ? -code : code;
    return told_;
  }

  void verdict(std::span<const double> agreed) override {
    const auto code = static_cast<std::int64_t>(std::abs(agreed[0]));
    const auto all = static_cast<std::int64_t>(candidates_.size());
    draw(static_cast<std::size_t>(code % all), code / all);
    exploring_ = agreed[0] > 0;
  }

  [[nodiscard]] std::string_view stage() const override { return candidates_.size() < 2 ? "single" : "lottery"; }

  [[nodiscard]] bool exploring() const override { return exploring_; }

  [[nodiscard]] bool settled() const override { return false; }

  [[nodiscard]] std::optional<double> found(int candidate) const override {
    for (std::size_t i = 0; i < candidates_.size(); ++i)
      if (candidates_[i] == candidate && times_[i].samples > 0) return times_[i].mean;
    return std::nullopt;
  }

 private:
  /// The candidate and its time to live as one number (Nishtala et al., section 6.1.1): whole, and exact as a double.
  [[nodiscard]] double encoded(std::size_t choice, std::int64_t lives) const {
    return static_cast<double>((lives * static_cast<std::int64_t>(candidates_.size())) +
                               static_cast<std::int64_t>(choice));
  }

  /// Calls for which a draw holds: they grow with the tickets, once every candidate has been tried.
  [[nodiscard]] std::int64_t lives_of(double share) const {
    for (const RunningTime& time : times_)
      if (!time.known) return 1;
    return std::max<std::int64_t>(1, std::llround(share * static_cast<double>(settings_.longest_draw)));
  }

  void draw(std::size_t choice, std::int64_t lives) {
    drawn_ = choice;
    lives_ = lives;
    preparing_ = !prepared_[choice];
    prepared_[choice] = true;
    left_ = preparing_ ? 1 : lives;
    sum_ = 0;
    propose(candidates_[choice]);
  }

  [[gnu::noinline]] std::span<const double> milestone() {
    if (preparing_) {
      preparing_ = false;
      ++calls_;
      left_ = lives_;
      sum_ = 0;
      return {};
    }
    calls_ += lives_;
    told_[0] = sum_ / static_cast<double>(lives_);
    return told_;
  }

  [[nodiscard]] std::string why(int best) const {
    const auto at = [&](int i) {
      const auto index = static_cast<std::size_t>(i);
      return names_[index] + " averages " + time_in_words(times_[index].mean);
    };
    return favourite_ < 0 ? at(best) + ", the first to be known" : at(best) + ", " + at(favourite_);
  }

  const TicketPolicy& policy_;
  StrategySettings settings_;
  Chance chance_;
  std::vector<int> candidates_;  ///< the eligible ones
  std::vector<std::string> names_;
  std::vector<RunningTime> times_;  ///< known on rank 0 only, but for what earlier runs found
  std::vector<bool> prepared_;
  std::size_t drawn_ = 0;   ///< of candidates_
  std::int64_t lives_ = 1;  ///< calls the draw is for
  std::int64_t left_ = 1;   ///< of them, or of the preparing call
  bool preparing_ = false;
  bool exploring_ = false;  ///< what was drawn is not the fastest known
  double sum_ = 0;          ///< seconds of the draw's calls so far
  std::int64_t calls_ = 0;  ///< up to the last milestone
  int favourite_ = -1;      ///< the fastest known, of candidates_
  std::array<double, 1> told_{};
};

std::string rejects(std::string_view policy) {
  if (ticket_policy(policy) != nullptr) return {};
  std::string known;
  for (const TicketPolicy& one : ticket_policies()) known.append(known.empty() ? "" : ", ").append(one.name);
  return std::string("no ticket policy '").append(told(policy)).append("'; there are: ").append(known);
}

}  // namespace

StrategyKind lottery() {
  return {
      .name = "lottery",
      .says =
          "draws a candidate for the next calls: the one with the fastest average holds most tickets, the others share "
          "the rest",
      .source = "Nishtala, Patel, Sanghavi and Chakrabarti 2003, section 6",
      .argument = "POLICY",
      .learns = true,
      .rejects = rejects,
      .make = [](const Brief& brief) -> std::unique_ptr<Strategy> { return std::make_unique<Lottery>(brief); },
  };
}

}  // namespace starling::strategies
