#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "measurement/work_scale.hpp"
#include "messages/interned.hpp"
#include "selection/chance.hpp"
#include "selection/strategy.hpp"

namespace starling {

/// The dynamic AEOS algorithm of STAR-MPI (Faraj, Yuan and Lowenthal 2006, figure 2) over groups of candidates (section
/// 3.3). With one candidate in each group it is the basic algorithm of section 3.2: measuring one of each group
/// measures all, and no group is left to be probed. A candidate that earlier runs measured in ITER calls or more is not
/// measured again.
///
///   Measure_Select   the first of each group, ITER times each | exchange all times | the fastest group is known
///                    the others of that group, if any, likewise | exchange their times | the fastest is selected
///   Monitor_Adapt    delta * ITER calls of the selected | exchange the total of all of them and of the last ITER
///                      mean of all       < (1 + epsilon) * second best : delta doubles
///                      mean of last ITER >= (1 + epsilon) * second best: the now fastest known is selected, after its
///                                                                        whole group is measured if it was not yet;
///                                                                        delta = 2
///                      else                                            : delta = 2
///
/// With a run-off, which the paper does not have, a candidate that looks only a little faster than native is compared
/// with it again before it is selected: the smallest of ITER noisy times of many candidates favours the luckiest, and
/// native was measured first, over new connections.
///
///   Run_Off          native and the fastest alternate in `runoff_units` units of two calls each | exchange these times
///                      the fastest wins `units_to_win` units: it is selected
///                      else: native is selected, unless another still looks faster. That one then has its own run-off,
///                            up to the third failure. The best times of the others are corrected like the loser's
///
/// Where the work of calls varies, works are exchanged with the times, and all times are scaled to a call of the mean
/// work (`WorkScale`). Candidates are then measured in rounds of one call each, in a random order for each round: one
/// after the other, each would get different sizes if the program's sizes grow.
class DynamicAeos final : public Strategy {
 public:
  enum class RunOff : std::uint8_t { none, with_native };

  /// `groups` names the group of each candidate of the brief; candidates that share a name share a group.
  DynamicAeos(const Brief& brief, std::span<const Interned> groups, RunOff run_off);

  /// One countdown serves all stages, so that a call in a monitoring period costs three additions and a comparison.
  std::span<const double> observe(double seconds, double work) override {
    sum_ += seconds;
    work_ += work;
    if (--left_ != 0) return {};
    return milestone();
  }
  void verdict(std::span<const double> agreed) override;
  [[nodiscard]] int proposed_after(std::int64_t ahead) const override;
  [[nodiscard]] std::int64_t calls_until_agreement() const override;
  /// In the order of `Stage`.
  static constexpr std::array<Doing, 5> stages{
      {{"single"}, {"measure_select", true}, {"probe_group", true}, {"run_off", true}, {"monitor_adapt"}}};
  [[nodiscard]] std::string_view stage() const override { return stages.at(static_cast<std::size_t>(stage_)).name; }
  [[nodiscard]] bool others_may_rest() const override { return true; }
  [[nodiscard]] std::optional<Found> found(int candidate) const override;
  [[nodiscard]] bool exploring() const override { return stage_ != Stage::single && stage_ != Stage::monitor_adapt; }

 private:
  enum class Stage : std::uint8_t { single, measure_select, probe_group, run_off, monitor_adapt };

  static constexpr std::int64_t first_delta = 2;
  /// A unit has two calls of each, in an order that does not coincide with a period in the program's calls.
  static constexpr std::size_t runoff_units = 8;
  static constexpr std::size_t calls_of_unit = 4;
  /// One of 28 equally fast candidates wins that many (sign test).
  static constexpr int units_to_win = 7;
  /// After that many failures in a row native stays in use: the candidates differ by less than their times scatter.
  static constexpr int failures_for_native = 3;
  /// The times of candidates that were never proven faster count as at least that many times the selected one's.
  static constexpr double behind = 1.001;
  /// No run-off is needed where native's times are that many times the other's.
  static constexpr double clearly = 1.5;
  static constexpr double unknown = std::numeric_limits<double>::infinity();

  struct Eligible {
    Interned name;
    Interned group;
    int candidate;
    bool operator==(const Eligible&) const = default;
  };
  /// The known times of an eligible candidate, in seconds per call.
  struct CandidateTimes {
    double best_time = unknown;
    double typical = unknown;  ///< for later runs: the median iteration, or the mean of a period
    bool earlier = false;      ///< the times are from earlier runs
    bool settled = false;      ///< the times are from a run-off, from Monitor_Adapt since then, or from earlier runs
  };

  /// After a measured call, before a period's last ITER calls, or at the end of a period. Not inlined, so that
  /// `observe` has no registers to save.
  [[gnu::noinline]] std::span<const double> milestone();

  [[nodiscard]] std::int64_t period() const { return delta_ * iterations_; }
  [[nodiscard]] const Eligible& of(const CandidateTimes& one) const {
    return (*eligible_)[static_cast<std::size_t>(&one - known_.data())];
  }
  [[nodiscard]] const CandidateTimes& best() const { return known_[ranking_[0]]; }
  [[nodiscard]] const CandidateTimes& second() const { return known_[ranking_[1]]; }
  [[nodiscard]] std::vector<std::size_t> first_of_each_unknown_group() const;
  [[nodiscard]] bool probed(Interned group) const;
  [[nodiscard]] bool needs_run_off() const;
  /// Whose turn call number `call` of a run-off is, 0 for native: the Thue-Morse sequence, balanced in each unit.
  [[nodiscard]] static std::size_t turn(std::size_t call) { return static_cast<std::size_t>(std::popcount(call)) % 2; }
  /// Whose turn a call of the stage is: an index of measuring_.
  [[nodiscard]] std::size_t whose(std::size_t call) const {
    if (stage_ == Stage::run_off) return turn(call);
    return scale_ ? order_[call] : call / static_cast<std::size_t>(iterations_);
  }

  void measure(Stage stage, std::vector<std::size_t> which);
  void draw_order();
  [[nodiscard]] std::vector<double> comparable(std::span<const double> agreed);
  void refer(double work, double calls);
  void learn(std::span<const double> ge_time);
  void compare(std::span<const double> ge_time);
  void adapt(std::span<const double> total);
  void measure_anew(double work);
  void settle();
  void probe(Interned group);
  void sort_from(std::size_t place);
  void begin_period();
  [[nodiscard]] std::string for_work() const;
  [[nodiscard]] std::string why_selected() const;
  [[nodiscard]] std::string why_replaced(double whole, double last) const;

  double sum_ = 0;                  ///< seconds since the last milestone
  double work_ = 0;                 ///< since the last milestone
  std::int64_t left_ = 1;           ///< calls until the next milestone
  std::array<double, 2> before_{};  ///< seconds and work of a period's calls before the last ITER
  bool in_last_iterations_ = false;
  Stage stage_ = Stage::single;
  RunOff run_off_;
  std::int64_t iterations_;
  double tolerated_;  ///< 1 + epsilon
  std::int64_t delta_ = first_delta;
  std::int64_t delta_limit_;
  std::int64_t calls_ = 0;                                 ///< up to the last verdict or measured call
  std::shared_ptr<const std::vector<Eligible>> eligible_;  ///< many contexts have the same
  std::vector<CandidateTimes> known_;                      ///< of these
  std::vector<std::size_t> ranking_;    ///< indices of known_: the fastest first, those not measured at the end
  std::vector<std::size_t> measuring_;  ///< indices of known_: the candidates being measured, in this order
  std::vector<double> le_time_;         ///< of each call
  std::vector<double> le_work_;         ///< of each call, where work varies
  std::vector<std::size_t> order_;      ///< of each call, where work varies: an index of measuring_
  std::size_t planned_ = 0;             ///< calls until the exchange of le_time_
  std::array<double, 4> total_{};       ///< of a period and of its last ITER calls: seconds, then work
  std::unique_ptr<WorkScale> scale_;    ///< of known_; null where the work does not vary
  Chance chance_;
  int replaced_ = -1;     ///< the candidate that Monitor_Adapt replaced last
  std::string why_;       ///< why it was replaced, and what was measured since
  int failures_ = 0;      ///< failed run-offs in a row since the last decision
  std::string run_offs_;  ///< since the last decision, as text
};

}  // namespace starling
