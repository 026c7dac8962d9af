#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "measurement/of_few.hpp"
#include "measurement/work_scale.hpp"
#include "selection/agreement_cost.hpp"
#include "selection/chance.hpp"
#include "selection/estimates.hpp"
#include "selection/ledger.hpp"
#include "selection/plan.hpp"
#include "selection/program_gain.hpp"
#include "selection/stake.hpp"
#include "selection/strategy.hpp"
#include "selection/waiting.hpp"

namespace starling {

/// What `auto` thinks, on one rank: which candidates the next calls try, and which one is chosen.
///
///   what a trial may gain   expected improvement on the chosen one, for as many calls as there have been
///   what it may cost        expected loss of its own calls; the trial of highest worth comes first
///   what it must not cost   should it take its pessimistic time, all calls together still lose no more than the
///                           `Ledger` allows
///   when it may begin       enough is at stake (`Stake`)
///   what the program gains  stretches of calls with the chosen candidate and with native take turns (`ProgramGain`),
///                           where a gain is small, or ranks leave calls at different times
///   when ranks agree        as often as pays (`AgreementCost`)
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
  void stretch_took(double seconds) { gain_.stretch_took(seconds); }
  void agreement_took(double seconds);
  /// Whether the network is to be measured before the next calls.
  [[nodiscard]] bool wants_measurement() const { return wants_measurement_; }

  [[nodiscard]] int chosen() const { return chosen_; }
  /// Whether no trial is worth its cost for now.
  [[nodiscard]] bool settled() const { return quiet_plans_ > 1; }
  [[nodiscard]] std::optional<Found> found(int candidate) const;
  /// Strategy::tried_instead_of
  [[nodiscard]] std::optional<int> tried_instead_of(int candidate) const {
    return instead_ ? (*instead_)[static_cast<std::size_t>(candidate)] : std::nullopt;
  }
  /// The change of the chosen candidate since the last time it was asked for.
  std::optional<Decision> take_decision();

 private:
  [[nodiscard]] bool eligible(int candidate) const { return eligible_[static_cast<std::size_t>(candidate)]; }
  [[nodiscard]] int candidates() const { return static_cast<int>(eligible_.size()); }
  [[nodiscard]] const Interned& name_of(int candidate) const { return (*names_)[static_cast<std::size_t>(candidate)]; }
  [[nodiscard]] double time_of(int candidate) const { return estimates_.of(candidate).seconds(); }
  [[nodiscard]] ProgramGain::Chosen chosen_now() const { return {chosen_, time_of(chosen_), time_of(0)}; }
  [[nodiscard]] Estimate for_program(int candidate) const;
  [[nodiscard]] bool needs_proof() const;
  void prove(std::span<const PlannedCalls> plan, double in_calls);
  [[nodiscard]] double lost_to_native() const;
  [[nodiscard]] double trial_at_worst(int candidate, std::int64_t times) const;
  [[nodiscard]] bool is_faster(int candidate) const;
  [[nodiscard]] std::optional<int> best_trial(std::int64_t times, double lost, double calls,
                                              std::span<const PlannedCalls> but) const;
  [[nodiscard]] std::int64_t calls_until_second_look() const;
  [[nodiscard]] bool may_try() const;
  [[nodiscard]] std::int64_t calls_until_something_may_be_tried() const;
  [[nodiscard]] bool control_is_due() const;
  bool take_from_elsewhere();
  void ask_knowledge();
  void believe(int candidate, const Belief& belief);
  void try_each_once();
  void expect_setup(int candidate, double seconds);
  [[nodiscard]] double setup_of(int candidate) const;
  [[nodiscard]] bool has_earned_setup(int candidate) const;
  [[nodiscard]] bool is_surprising(int candidate, std::span<const double> seconds) const;
  void take_work(std::span<const PlannedCalls> plan, std::span<const AgreedCall> calls);
  void keep_latest(int candidate, std::size_t calls);
  [[nodiscard]] bool is_known_well(int candidate) const;
  void look_at_native(std::span<const double> seconds);
  void watch(std::span<const double> seconds, bool was_surprised);
  void start_anew(const std::string& why);
  void choose();
  void become(int candidate, std::string why);
  void note_trial(int candidate);
  [[nodiscard]] std::string in_words(int candidate) const;

  double budget_;                                       ///< the setting, in units of the usual one
  std::shared_ptr<const std::vector<Interned>> names_;  ///< many contexts have the same
  std::vector<bool> eligible_;
  std::shared_ptr<const std::vector<std::optional<int>>> instead_;  ///< tried_instead; null where nothing is alike
  Estimates estimates_;
  bool any_belief_ = false;  ///< in any candidate but native
  /// A call as it was measured.
  struct Taken {
    float work;
    float seconds;
  };
  std::unique_ptr<WorkScale> scale_;  ///< null where the work does not vary
  OfFew<std::vector<Taken>> taken_;   ///< where it does, the latest calls of each candidate that `estimates_` has
  std::unique_ptr<std::vector<float>> setup_;  ///< Candidate::setup_seconds of each; null where all are 0
  Chance chance_;
  Waiting waiting_;
  bool synchronises_;
  bool shares_processors_;
  Stake stake_;
  Ledger ledger_;
  ProgramGain gain_;
  AgreementCost agreements_;

  std::shared_ptr<Knowledge> knowledge_;
  bool has_looked_elsewhere_ = false;
  bool asked_ = false;
  bool has_just_asked_ = false;  ///< since the latest agreement
  bool wants_measurement_ = false;

  int chosen_ = 0;
  std::int64_t calls_ = 0;      ///< in all
  std::int64_t chosen_at_ = 0;  ///< number of calls then
  std::int64_t next_control_ = 16;
  std::vector<double> faster_native_;  ///< native's latest times, where they are shorter than all before
  int deviations_ = 0;      ///< plans in a row in which the chosen one was slower (or, negative, faster) than known
  bool surprised_ = false;  ///< a candidate is not what it was: is the chosen one?
  int quiet_plans_ = 0;     ///< plans in a row without a trial
  std::vector<int> tried_;  ///< the latest since the last decision
  std::string changed_;     ///< how the network has changed since then, in words
  std::optional<Decision> decision_;
};

}  // namespace starling
