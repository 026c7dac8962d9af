// lottery: draws a candidate for the next calls by tickets; the fastest holds most of them.
//
//   every rank     calls of the candidate drawn | their times, reduced to rank 0
//   rank 0         average of that candidate -> tickets of all -> draw of a candidate, and of its calls (time to live)
//   every rank     gets both as one number, negative if the candidate is the fastest known
//
// The first call of a candidate also prepares it, and is not timed. Of a long draw only the last calls count, because
// the earlier ones hardly weigh in the average. Where the work of calls varies, works are reduced with the times, and
// averages are scaled to the mean work (`WorkScale`).

#include <algorithm>
#include <cmath>
#include <limits>

#include "measurement/work_scale.hpp"
#include "messages/shared.hpp"
#include "messages/told.hpp"
#include "selection/chance.hpp"
#include "selection/figures.hpp"
#include "selection/strategy.hpp"
#include "selection/tickets.hpp"

namespace starling::strategies {
namespace {

class Lottery final : public Strategy {
 public:
  explicit Lottery(const Brief& brief)
      : policy_(*ticket_policy(brief.argument)),
        alpha_(brief.settings.alpha),
        memory_(brief.settings.memory),
        longest_draw_(brief.settings.longest_draw),
        varying_work_(brief.varying_work),
        chance_(brief.settings.seed) {
    const auto eligible = static_cast<std::size_t>(std::count_if(brief.candidates.begin(), brief.candidates.end(),
                                                                 [](const Candidate& one) { return one.eligible(); }));
    times_.reserve(eligible);
    std::vector<Eligible> all;
    all.reserve(eligible);
    for (std::size_t i = 0; i < brief.candidates.size(); ++i) {
      const Candidate& candidate = brief.candidates[i];
      if (!candidate.eligible()) continue;
      all.push_back({static_cast<int>(i), candidate.name});
      RunningTime& time = times_.emplace_back();
      if (!candidate.earlier) continue;
      time.mean = candidate.earlier->seconds;
      time.samples = static_cast<std::uint32_t>(
          std::min<std::int64_t>(candidate.earlier->samples, std::numeric_limits<std::uint32_t>::max()));
      if (!candidate.earlier->deviation) continue;
      time.variance = *candidate.earlier->deviation * *candidate.earlier->deviation;
      time.spread = time.samples;
    }
    eligible_ = shared(std::move(all));
    measured_.resize(eligible);
    prepared_.resize(eligible);
    if (eligible < 2) {
      if (eligible > 0) propose(candidate(0));
      left_ = std::numeric_limits<std::int64_t>::max();
      return;
    }
    favourite_ = fastest(times_);
    if (favourite_ >= 0) {
      const auto at = static_cast<std::size_t>(favourite_);
      decide({0, -1, candidate(at), name(at) + " was fastest in earlier runs, at " + time_in_words(times_[at].mean)});
    }
    draw(static_cast<std::size_t>(std::max(favourite_, 0)), 1);
    exploring_ = favourite_ < 0;
  }

  std::span<const double> observe(double seconds, double work) override {
    const auto place = static_cast<std::size_t>(--left_);
    if (place < calls_reduced()) {
      to_agree_[place] = seconds;
      if (varying_work_) to_agree_[calls_reduced() + place] = work;
    }
    if (place != 0) return {};
    return milestone();
  }

  [[nodiscard]] std::int64_t calls_until_agreement() const override { return preparing_ ? left_ + lives_ : left_; }

  [[nodiscard]] Judge judge() const override { return Judge::first_rank; }

  std::span<const double> ruling(std::span<const double> reduced) override {
    learn(reduced);
    const int best = fastest(times_);
    if (best != favourite_) {
      decide({calls_, favourite_ < 0 ? -1 : candidate(static_cast<std::size_t>(favourite_)),
              candidate(static_cast<std::size_t>(best)), why(best)},
             most_decisions);
      favourite_ = best;
    }
    const std::vector<double> shares = policy_.deal(times_, alpha_);
    std::size_t choice = 0;
    for (double left = chance_.next(); choice + 1 < shares.size() && left >= shares[choice]; ++choice)
      left -= shares[choice];
    // Because of rounding the draw may end at the last candidate though it holds no ticket.
    if (shares[choice] <= 0) choice = static_cast<std::size_t>(favourite_);
    const double code = encoded(choice, lives_of(shares[choice]));
    to_agree_[0] = static_cast<int>(choice) == favourite_ ? -code : code;
    return to_agree_;
  }

  void verdict(std::span<const double> agreed) override {
    const auto code = static_cast<std::int64_t>(std::abs(agreed[0]));
    const auto all = static_cast<std::int64_t>(times_.size());
    draw(static_cast<std::size_t>(code % all), code / all);
    exploring_ = agreed[0] > 0;
  }

  [[nodiscard]] std::string_view stage() const override { return times_.size() < 2 ? "single" : "lottery"; }

  [[nodiscard]] bool exploring() const override { return exploring_; }

  [[nodiscard]] bool settled() const override { return false; }

  [[nodiscard]] std::optional<Found> found(int candidate) const override {
    for (std::size_t i = 0; i < times_.size(); ++i)
      if (this->candidate(i) == candidate && measured_[i])
        return Found{times_[i].mean,
                     times_[i].spread > 1 ? std::optional(std::sqrt(times_[i].variance)) : std::nullopt};
    return std::nullopt;
  }

 private:
  /// Calls of a draw whose times are reduced: with a memory of 0.8 all before them together weigh 1 in 1000.
  static constexpr std::size_t most_reduced = 32;
  /// Decisions that are kept: of two candidates that are equally fast, now one is the favourite, now the other.
  static constexpr std::size_t most_decisions = 4;

  struct Eligible {
    int candidate;
    Interned name;
    bool operator==(const Eligible&) const = default;
  };
  [[nodiscard]] int candidate(std::size_t index) const { return (*eligible_)[index].candidate; }
  [[nodiscard]] const Interned& name(std::size_t index) const { return (*eligible_)[index].name; }

  /// The candidate and its time to live as one number (Nishtala et al., section 6.1.1): whole, and exact as a double.
  [[nodiscard]] double encoded(std::size_t choice, std::int64_t lives) const {
    return static_cast<double>((lives * static_cast<std::int64_t>(times_.size())) + static_cast<std::int64_t>(choice));
  }

  /// Calls for which a draw is valid: more with more tickets, once every candidate has been tried.
  [[nodiscard]] std::int64_t lives_of(double share) const {
    for (const RunningTime& time : times_)
      if (!time.known()) return 1;
    return std::max<std::int64_t>(1, std::llround(share * static_cast<double>(longest_draw_)));
  }

  void draw(std::size_t choice, std::int64_t lives) {
    drawn_ = choice;
    lives_ = lives;
    preparing_ = !prepared_[choice];
    prepared_[choice] = true;
    left_ = preparing_ ? 1 : lives;
    to_agree_.resize((varying_work_ ? 2 : 1) * calls_reduced());
    propose(candidate(choice));
  }

  /// Adds the calls of a draw. `reduced` has their times, the last call first, then their works in the same order.
  void learn(std::span<const double> reduced) {
    const std::size_t calls = calls_reduced();
    if (!varying_work_) {
      for (std::size_t call = calls; call > 0; --call) times_[drawn_].add(reduced[call - 1], memory_);
      measured_[drawn_] = true;
      return;
    }
    if (!scale_) scale_ = std::make_unique<WorkScale>(times_.size());
    double work = 0;
    for (std::size_t call = calls; call > 0; --call) {
      scale_->add(drawn_, reduced[calls + call - 1], reduced[call - 1]);
      work += reduced[calls + call - 1];
    }
    scale_->fit();
    const bool is_first = !scale_->has_reference();
    const double before = scale_->reference();
    scale_->refer(work, static_cast<double>(calls));
    for (std::size_t i = 0; i < times_.size() && !is_first; ++i) times_[i].scale(scale_->factor(i, before));
    for (std::size_t call = calls; call > 0; --call) {
      const double seconds = reduced[call - 1] * scale_->factor(drawn_, reduced[calls + call - 1]);
      compare_with_earlier(seconds);
      times_[drawn_].add(seconds, memory_);
      measured_[drawn_] = true;
    }
  }

  /// The calls of earlier runs may have had other work: their times are scaled in proportion to this run's first call.
  void compare_with_earlier(double seconds) {
    if (compared_ || !times_[drawn_].known() || measured_[drawn_]) return;
    compared_ = true;
    const double proportion = seconds / times_[drawn_].mean;
    for (std::size_t i = 0; i < times_.size(); ++i)
      if (!measured_[i]) times_[i].scale(proportion);
  }

  /// Calls of the draw whose times are reduced.
  [[nodiscard]] std::size_t calls_reduced() const {
    return static_cast<std::size_t>(std::min<std::int64_t>(lives_, most_reduced));
  }

  [[gnu::noinline]] std::span<const double> milestone() {
    if (preparing_) {
      preparing_ = false;
      ++calls_;
      left_ = lives_;
      return {};
    }
    calls_ += lives_;
    return to_agree_;
  }

  [[nodiscard]] std::string why(int best) const {
    const auto at = [&](int i) {
      const auto index = static_cast<std::size_t>(i);
      return name(index) + " averages " + time_in_words(times_[index].mean);
    };
    return favourite_ < 0 ? at(best) + ", the first to be known" : at(best) + ", " + at(favourite_);
  }

  const TicketPolicy& policy_;
  double alpha_;
  double memory_;
  std::int64_t longest_draw_;
  bool varying_work_;
  Chance chance_;
  std::shared_ptr<const std::vector<Eligible>> eligible_;  ///< many contexts have the same
  std::vector<RunningTime> times_;                         ///< known on rank 0 only, except those of earlier runs
  std::vector<bool> measured_;                             ///< in this run; known on rank 0 only
  std::unique_ptr<WorkScale> scale_;                       ///< on rank 0 only
  bool compared_ = false;  ///< the times of earlier runs were compared with this run's first call
  std::vector<bool> prepared_;
  std::size_t drawn_ = 0;   ///< of eligible_
  std::int64_t lives_ = 1;  ///< calls for which the draw is valid
  std::int64_t left_ = 1;   ///< calls left of them, or of the preparing call
  bool preparing_ = false;
  bool exploring_ = false;  ///< the drawn candidate is not the fastest known
  std::int64_t calls_ = 0;  ///< up to the last milestone
  int favourite_ = -1;      ///< the fastest known, of eligible_
  /// Seconds of the draw's latest calls, by the calls that are left after them; then their works, where these vary.
  std::vector<double> to_agree_;
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
      .keeps_trying = true,
      .stages = {{"single"}, {"lottery"}},
      .rejects = rejects,
      .make = [](const Brief& brief) -> std::unique_ptr<Strategy> { return std::make_unique<Lottery>(brief); },
  };
}

}  // namespace starling::strategies
