#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "measurement/work_scale.hpp"
#include "selection/estimates.hpp"
#include "selection/plan.hpp"
#include "selection/proof.hpp"
#include "selection/strategy.hpp"
#include "selection/waiting.hpp"

namespace starling {

/// What `auto` thinks, on one rank: which candidates the next calls try, and which one is chosen.
///
///   what a trial may gain   expected improvement on the chosen one, for as many calls as there have been
///   what it may cost        expected loss of its own calls; the trial of highest worth comes first
///   what it must not cost   the ledger: against native on every call, n calls together lose at most the budget's
///                           `allowance` + `growth` sqrt(n) of native's times, should the trial take its pessimistic
///                           time
///   what the program gains  stretches of calls with the chosen candidate and with native take turns (`Proof`), where a
///                           gain is small, or ranks leave calls at different times
///   when it ends            no trial is worth its cost. The longer the program runs, the smaller a gain is worth one
///
/// A time that the chosen candidate does not keep twice in a row, longer or shorter, means that the network has
/// changed: measured times are beliefs then, and the ledger starts anew.
class Planner {
 public:
  explicit Planner(const Brief& brief);

  static constexpr std::size_t most_steps = 8;
  /// Calls of one plan whose times are exchanged.
  static constexpr std::size_t most_times = 40;

  /// The first calls of a context. The same on all ranks: it rests on what all know.
  static std::vector<PlannedCalls> first_calls(const Brief& brief);

  /// Whether an agreement may take longer than some calls.
  static bool are_short(const ContextKey& key);
  /// The first calls, if what is known before them says how; else nothing.
  [[nodiscard]] std::vector<PlannedCalls> opening();

  /// Takes the times of a plan's calls, those of each step in turn, the latest first.
  void take(std::span<const PlannedCalls> plan, std::span<const AgreedCall> calls);
  /// The next calls.
  std::vector<PlannedCalls> next();
  /// Takes the seconds since the latest agreement, with what the program did between calls; 0 if not known.
  void stretch_took(double seconds) { stretch_ = seconds; }
  void agreement_took(double seconds);
  /// Whether the network is to be measured before the next calls.
  [[nodiscard]] bool wants_measurement() const { return wants_measurement_; }

  [[nodiscard]] int chosen() const { return chosen_; }
  /// Whether no trial is worth its cost for now.
  [[nodiscard]] bool settled() const { return quiet_plans_ > 1; }
  [[nodiscard]] std::optional<Found> found(int candidate) const;
  /// The change of the chosen candidate since the last time it was asked for.
  std::optional<Decision> take_decision();

 private:
  [[nodiscard]] bool eligible(int candidate) const { return eligible_[static_cast<std::size_t>(candidate)]; }
  [[nodiscard]] std::int64_t calls_of(int candidate) const {
    return calls_of_.empty() ? 0 : calls_of_[static_cast<std::size_t>(candidate)];
  }
  [[nodiscard]] int candidates() const { return static_cast<int>(eligible_.size()); }
  [[nodiscard]] double time_of(int candidate) const { return estimates_.of(candidate).seconds(); }
  [[nodiscard]] double handicap(int candidate) const;
  [[nodiscard]] Estimate for_program(int candidate) const;
  [[nodiscard]] bool needs_proof() const;
  void take_stretch(std::span<const PlannedCalls> plan, double in_calls);
  [[nodiscard]] bool gains_clearly(double between_calls) const;
  [[nodiscard]] double lost_to_native() const;
  [[nodiscard]] double loss_at_worst(int candidate) const;
  [[nodiscard]] double seconds_to_begin(int candidate) const;
  [[nodiscard]] double trial_at_worst(int candidate, std::int64_t times) const;
  [[nodiscard]] bool is_faster(int candidate) const;
  [[nodiscard]] double allowed(double calls) const;
  [[nodiscard]] bool affordable(int candidate, std::int64_t times, double lost, double calls) const;
  [[nodiscard]] std::optional<int> best_trial(std::int64_t times, double lost, double calls,
                                              std::span<const PlannedCalls> but) const;
  [[nodiscard]] std::int64_t calls_until_agreement_pays() const;
  [[nodiscard]] double cost_of_agreement() const;
  [[nodiscard]] std::int64_t calls_until_second_look() const;
  [[nodiscard]] double at_stake() const;
  [[nodiscard]] double at_stake_in_all_runs() const;
  [[nodiscard]] bool may_try() const;
  [[nodiscard]] std::int64_t calls_until_something_may_be_tried() const;
  [[nodiscard]] bool control_is_due() const;
  [[nodiscard]] double seconds_of(const AgreedCall& call) const { return waiting_ ? call.fastest : call.slowest; }
  void ask_knowledge();
  [[nodiscard]] bool is_surprising(int candidate, std::span<const double> seconds) const;
  void watch(std::span<const double> seconds, bool was_surprised);
  void start_anew(const std::string& why);
  void choose();
  void note_trial(int candidate);
  [[nodiscard]] std::string in_words(int candidate) const;

  double budget_;  ///< the setting, in units of the usual one
  /// Seconds: first calls with a candidate also open connections and disturb other ranks, which a context of few or
  /// short calls does not win back.
  double least_at_stake_;
  double calls_before_;  ///< in earlier runs
  std::vector<Interned> names_;
  std::vector<bool> eligible_;
  std::vector<std::int64_t> calls_of_;  ///< of each candidate since the network changed; empty while all were native's
  Estimates estimates_;
  std::shared_ptr<Knowledge> knowledge_;
  std::vector<float> to_begin_;  ///< seconds that the first call of each costs besides; empty until known
  bool asked_ = false;
  bool has_just_asked_ = false;  ///< since the latest agreement
  bool wants_measurement_ = false;
  double enough_at_stake_;     ///< for the next step towards a trial, seconds
  bool knows_native_ = false;  ///< from before the first call
  bool any_belief_ = false;    ///< in any candidate but native
  Waiting waiting_;            ///< where ranks do, the fastest one's time is that of the collective
  std::unique_ptr<WorkScale> scale_;
  Proof proof_;
  double stretch_ = 0;  ///< seconds of the latest plan and of the program meanwhile
  /// Seconds between two calls in the latest plans of which native made most: at most three, the latest last.
  std::vector<double> between_native_calls_;
  std::vector<bool> proven_;  ///< of each candidate, whether the program was faster with it
  double handicap_ = 0;  ///< logarithm of what others must be faster by in their calls, for the program to be faster
  int chosen_ = 0;
  std::int64_t calls_ = 0;      ///< in all
  std::int64_t chosen_at_ = 0;  ///< number of calls then
  std::int64_t since_ = 0;      ///< since the network changed
  std::int64_t next_control_ = 16;
  double elapsed_ = 0;   ///< seconds of all calls
  double transfer_ = 0;  ///< the same without waiting for late ranks, where that is known
  bool synchronises_;
  double agreement_;        ///< seconds that one takes
  double agreements_ = 0;   ///< seconds that all took
  int deviations_ = 0;      ///< plans in a row in which the chosen one was slower (or, negative, faster) than known
  bool surprised_ = false;  ///< a candidate is not what it was: is the chosen one?
  int quiet_plans_ = 0;     ///< plans in a row without a trial
  std::vector<int> tried_;  ///< the latest since the last decision
  std::string changed_;     ///< how the network has changed since then, in words
  std::optional<Decision> decision_;
};

}  // namespace starling
