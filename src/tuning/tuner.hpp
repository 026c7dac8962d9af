#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "knowledge/run_record.hpp"
#include "measurement/of_few.hpp"
#include "measurement/samples.hpp"
#include "messages/interned.hpp"
#include "selection/strategy.hpp"
#include "tuning/arrivals.hpp"
#include "tuning/consensus.hpp"

namespace starling {

/// The tuner of one context: its strategy, the measured times, the agreements between ranks, and what happened, for the
/// record. It knows only the numbers of candidates and the seconds of calls; its owner carries out the calls.
///
/// Each rank has one. All ranks begin the same calls in the same order, and `agree` at the same calls; calls may end
/// later and in any order, different on each rank.
class Tuner {
 public:
  /// `brief` has the candidates. `make` makes the strategy.
  Tuner(const Brief& brief, std::unique_ptr<Strategy> (*make)(const Brief&));

  /// Before the first call: the first rank tells what it knows, if it may know anything. The others wait for it.
  void open(Consensus& ranks);

  /// A call that has begun.
  struct Turn {
    std::int64_t number;  ///< among the calls that the strategy learns from; -1 if it is counted only when it ends
    int candidate;        ///< to carry it out with
    bool exploring;       ///< it may be slow
    bool learns;          ///< the strategy learns from it
  };
  /// Begins a call that ends before another one begins. It counts when it ends. If MPI refuses it on this rank it never
  /// ends; a call that the application's error handler then makes takes its place, as on the other ranks.
  Turn begin() {
    if (counted_ == fed_ && contribution_.empty()) return {-1, strategy_->proposed(), strategy_->exploring(), true};
    return begin_while_in_flight();
  }
  /// Begins a call that is in flight while others begin.
  Turn begin_in_flight() {
    Turn turn = begin();
    passes_ = 0;
    if (turn.learns) turn.number = counted_++;
    return turn;
  }
  /// Ends a call that took `seconds` on this rank and had `work` (Strategy::observe). `served` is false if its
  /// candidate turned out unable to serve, on all ranks, and native carried it out.
  void end(const Turn& turn, double seconds, double work, bool served = true);
  /// Whether the next call need not be timed on this rank: it may end by `pass`, if no other collective came since this
  /// context's latest. Where calls are so short that reading the clock is a part of them, and the strategy does not
  /// look at each, one of 5 to 9 is timed, at changing distances.
  [[nodiscard]] bool may_pass() const { return passes_ > 0 && counted_ == fed_ && contribution_.empty(); }
  /// Ends a call that was not timed, which counts as long as the next one that is.
  void pass(const Turn& turn, double work, bool served = true);
  /// Whether the ranks must agree before the next call from which the strategy learns. The same on all ranks that have
  /// begun equally many calls.
  [[nodiscard]] bool is_due() const {
    return !contribution_.empty() || (counted_ != fed_ && counted_ - fed_ == strategy_->calls_until_agreement());
  }
  /// Lets the ranks agree. For a call that has not ended here, this rank contributes its median time of the same
  /// candidate. Returns whether only the proposed candidate is needed from now on.
  bool agree(Consensus& ranks, SampleReduction reduction);
  /// Takes how the call that ends next began (Strategy::came_after).
  void came_after(double seconds) { strategy_->came_after(seconds); }
  /// Takes the seconds since the ranks agreed last, before they agree again; of those of all ranks the longest count
  /// (Strategy::stretch_took).
  void stretch_took(double seconds) { stretch_ = seconds; }
  /// Whether the ranks are to measure their network now, after they have agreed. The same on all ranks.
  [[nodiscard]] bool wants_measurement() const { return strategy_->wants_measurement(); }
  /// Adds the seconds spent on recording, agreeing and choosing after a call that explored, or after which ranks
  /// agreed. So many of these seconds are spent `once` in a context, and do not tell what an agreement takes.
  void add_bookkeeping(const Turn& turn, double seconds, bool agreed, double once = 0);

  /// Adds the seconds until all ranks had the communicators and the shared memory that a call's candidate needs. They
  /// are no part of the call's own, and count as bookkeeping.
  void add_setup(const Turn& turn, double seconds);

  /// Adds the seconds for which a call's candidate was made ready before it.
  void add_preparation(const Turn& turn, double seconds) {
    (turn.exploring ? trying().exploring.bookkeeping_seconds : trying().agreed_seconds) += seconds;
  }

  /// Frees what is kept of a candidate that is tried now and then: the times of its calls, but for their median. Not of
  /// native: what others gain is told by its median, which must not be that of a call or two.
  void rest(int candidate) {
    if (Samples* const times = candidate > 0 ? samples_.find(at(candidate)) : nullptr) times->condense();
  }

  /// Notes for the record what a candidate has to do without.
  void note(int candidate, const std::string& what);

  /// Excludes a candidate that turned out unable to serve, on all ranks at the same call.
  void refuse(int candidate, const std::string& why);
  /// Excludes all candidates but native for good, on all ranks before the same call.
  void leave_to_native(const std::string& why);
  [[nodiscard]] bool eligible(int candidate) const { return refusal(candidate).empty(); }
  /// Why a candidate may not be proposed; empty if it may.
  [[nodiscard]] const Interned& refusal(int candidate) const { return (*refusals_)[at(candidate)]; }
  /// Strategy::tried_instead_of
  [[nodiscard]] std::optional<int> tried_instead_of(int candidate) const {
    return strategy_->tried_instead_of(candidate);
  }
  [[nodiscard]] int proposed() const { return strategy_->proposed(); }
  /// Strategy::chosen
  [[nodiscard]] std::optional<int> chosen() const { return strategy_->chosen(); }
  /// Strategy::others_may_rest
  [[nodiscard]] bool others_may_rest() const { return strategy_->others_may_rest(); }
  /// Whether the proposed candidate may be slow.
  [[nodiscard]] bool explores() const { return strategy_->exploring(); }
  [[nodiscard]] int candidates() const { return static_cast<int>(refusals_->size()); }
  [[nodiscard]] std::int64_t calls() const { return calls_; }
  /// Whether a candidate was used for a call.
  [[nodiscard]] bool tried(int candidate) const { return samples_.has(at(candidate)); }

  /// Whether a candidate has to do without something, or could not serve.
  [[nodiscard]] bool has_note(int candidate) const {
    return trying_ && trying_->lacking && !trying_->lacking->notes[at(candidate)].empty();
  }

  /// Fills in what happened, without the call key and names. `record.candidates[i]` is candidate `which[i]`. Returns
  /// the winner.
  int fill_in(ContextRecord& record, std::span<const int> which) const;

 private:
  /// Seconds in this context.
  struct Spent {
    double all;
    double exploring;
  };

  /// A call that ended before an earlier one.
  struct Early {
    std::int64_t number;
    double seconds;
    double work;
  };

  /// What candidates had to do without, for the record. Few contexts have anything of it.
  struct Lacking {
    std::vector<Interned> notes;    ///< of each candidate
    std::vector<Decision> refused;  ///< proposed for good, and unable to serve
  };

  /// What is kept once candidates were tried, ranks agreed, or calls ended in another order than they began.
  struct Trying {
    std::vector<double> setup;         ///< seconds of each candidate; empty where none needed any
    std::unique_ptr<Lacking> lacking;  ///< null where there is nothing to tell
    Samples bookkeeping;               ///< of exploring calls without an agreement
    PhaseRecord exploring;             ///< so far
    Spent reported{};                  ///< this rank's, up to the last agreement
    std::optional<Spent> slowest;      ///< sum of the slowest rank's between agreements, up to the last agreement
    std::int64_t agreed_calls = 0;     ///< calls of the settled phase with an agreement
    double agreed_seconds = 0;         ///< bookkeeping of these calls
    std::vector<Early> early;
  };

  static constexpr double short_seconds = 1e-6;
  static constexpr unsigned fewest_untimed = 4;  ///< between two calls that are timed
  static constexpr unsigned most_untimed = 8;

  static std::size_t at(int candidate) { return static_cast<std::size_t>(candidate); }
  [[nodiscard]] Trying& trying() {
    if (!trying_) trying_ = std::make_unique<Trying>();
    return *trying_;
  }
  [[nodiscard]] std::optional<double> median(int candidate) const {
    const Samples* const times = samples_.find(at(candidate));
    return times == nullptr ? std::nullopt : times->median();
  }
  [[nodiscard]] Lacking& lacking();
  Turn begin_while_in_flight();
  void feed(double seconds, double work) {
    ++fed_;
    if (arrivals_) arrivals_->add(seconds);
    contribution_ = strategy_->observe(seconds, work);
  }
  /// Of all calls that have ended.
  [[nodiscard]] double all_seconds() const { return seconds_ + (passed_ * static_cast<double>(usual_)); }
  void feed_early();
  void let_pass(const Turn& turn, double seconds);
  Samples& begin_samples(std::size_t candidate);
  void refuse_all(std::span<const int> candidates, const std::string& why);

  std::shared_ptr<const std::vector<Interned>> refusals_;  ///< of each candidate: the same in many contexts
  OfFew<Samples> samples_;                                 ///< of those candidates that were used
  std::unique_ptr<Strategy> strategy_;
  std::int64_t counted_ = 0;              ///< begun calls from which the strategy learns
  std::int64_t fed_ = 0;                  ///< calls from which it has learnt, in the order of their beginning
  std::span<const double> contribution_;  ///< what the strategy wants the ranks to agree on
  std::unique_ptr<Trying> trying_;
  std::unique_ptr<Arrivals> arrivals_;  ///< null where a rank may end a call before all have begun, or nothing is tried
  std::int64_t calls_ = 0;              ///< that have ended
  double stretch_ = 0;                  ///< seconds since the ranks agreed last, on this rank; 0 where not known
  double seconds_ = 0;                  ///< of these calls, without those since the latest one that was timed
  float usual_ = 0;                     ///< seconds of a call, of the latest ones that were timed
  std::uint16_t dice_ = 0;              ///< how many are not timed is drawn from it
  std::uint8_t passes_ = 0;             ///< calls that need not be timed before the next one that is
  std::uint8_t passed_ = 0;             ///< that were not timed since the latest one that was
};

}  // namespace starling
