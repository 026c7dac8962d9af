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
/// 3.3). Where every candidate is alone in its group it is the basic algorithm of section 3.2: measuring one candidate
/// of each group is then measuring all, and no group is left to be probed. What earlier runs found of ITER calls or
/// more is not measured again.
///
///   Measure_Select   the first of each group ITER times in turn | exchange all times | the fastest group is known
///                    the others of that group, if any, likewise | exchange their times | the fastest is selected
///   Monitor_Adapt    delta * ITER calls of the selected | exchange the total of all of them and of the last ITER
///                      mean of all       < (1 + epsilon) * second best : delta doubles
///                      mean of last ITER >= (1 + epsilon) * second best: the fastest by what is known now is selected,
///                                                                        its whole group measured before if it was not
///                                                                        yet; delta = 2
///                      else                                            : delta = 2
///
/// With a run-off, which the paper does not have, a candidate that looks only a little faster than native must show it
/// before it is selected: the least of ITER noisy times of each of many candidates flatters the luckiest, and native
/// was measured first, over connections that were new.
///
///   Run_Off          native and the fastest take turns, `runoff_units` units of two calls each | exchange these times
///                      the fastest wins `units_to_win` of them: it is selected
///                      else: native is, unless another is still known to be faster, which then has its own run-off, up
///                            to the third failure. Of those, the best times count as flattered as the loser's was
///
/// Where the work of calls varies, works are exchanged beside times, and all times are those of a call of the mean work
/// (`WorkScale`). Candidates are then measured in rounds of one call each, in an order drawn for each round: in turn,
/// each would meet other sizes of a program whose sizes grow.
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
  [[nodiscard]] std::string_view stage() const override;
  [[nodiscard]] std::optional<Found> found(int candidate) const override;
  [[nodiscard]] bool exploring() const override { return stage_ != Stage::single && stage_ != Stage::monitor_adapt; }

 private:
  enum class Stage : std::uint8_t { single, measure_select, probe_group, run_off, monitor_adapt };

  static constexpr std::int64_t first_delta = 2;
  /// A unit has two calls of each, in an order that keeps no step with a program whose calls differ in turn.
  static constexpr std::size_t runoff_units = 8;
  static constexpr std::size_t calls_of_unit = 4;
  /// Of equally fast candidates one in 28 wins as many (sign test).
  static constexpr int units_to_win = 7;
  /// So many that fail one after the other leave native in use: what they differ by is less than their times scatter.
  static constexpr int failures_for_native = 3;
  /// By how much more than the selected one's the times of others count that never showed to be less.
  static constexpr double behind = 1.001;
  /// Native is beaten without a run-off where its times are that many times the other's.
  static constexpr double clearly = 1.5;
  static constexpr double unknown = std::numeric_limits<double>::infinity();

  /// An eligible candidate and the best time known of it, seconds a call.
  struct Known {
    Interned name;
    Interned group;
    double best_time = unknown;
    double typical = unknown;  ///< as a later run should know it: the median iteration, or the mean of a period
    int candidate = 0;
    bool earlier = false;  ///< these are from earlier runs
    bool settled = false;  ///< these are from a run-off, from Monitor_Adapt since, or from earlier runs
  };

  /// A measured call, the start of a period's last ITER calls, or the end of a period. Kept out of line, so that
  /// `observe` has no registers to save.
  [[gnu::noinline]] std::span<const double> milestone();

  [[nodiscard]] std::int64_t period() const { return delta_ * iterations_; }
  [[nodiscard]] const Known& best() const { return known_[ranking_[0]]; }
  [[nodiscard]] const Known& second() const { return known_[ranking_[1]]; }
  [[nodiscard]] std::vector<std::size_t> first_of_each_unknown_group() const;
  [[nodiscard]] bool probed(Interned group) const;
  [[nodiscard]] bool needs_run_off() const;
  /// Who has call number `call` of a run-off, 0 for native: Thue and Morse's sequence, balanced in each unit.
  [[nodiscard]] static std::size_t turn(std::size_t call) { return static_cast<std::size_t>(std::popcount(call)) % 2; }
  /// Who of measuring_ has a call of the stage.
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
  void settle();
  void probe(Interned group);
  void sort_from(std::size_t place);
  void begin_period();
  [[nodiscard]] std::string for_work() const;
  [[nodiscard]] std::string why_selected() const;
  [[nodiscard]] std::string why_replaced(double whole, double last) const;

  double sum_ = 0;                  ///< seconds since the last milestone
  double work_ = 0;                 ///< since then
  std::int64_t left_ = 1;           ///< calls until the next milestone
  std::array<double, 2> before_{};  ///< seconds and work of a period's calls but the last ITER
  bool in_last_iterations_ = false;
  Stage stage_ = Stage::single;
  RunOff run_off_;
  std::int64_t iterations_;
  double tolerated_;  ///< 1 + epsilon
  std::int64_t delta_ = first_delta;
  std::int64_t delta_limit_;
  std::int64_t calls_ = 0;  ///< at the last milestone that was a verdict, or measured
  std::vector<Known> known_;
  std::vector<std::size_t> ranking_;    ///< of known_: fastest first, what was not measured last
  std::vector<std::size_t> measuring_;  ///< of known_: what is measured now, in this order
  std::vector<double> le_time_;         ///< in the order of calls
  std::vector<double> le_work_;         ///< of the same, where it varies
  std::vector<std::size_t> order_;      ///< likewise: whose call it is
  std::size_t planned_ = 0;             ///< calls until the exchange of le_time_
  std::array<double, 4> total_{};       ///< seconds of a period, and of its last ITER calls; work of the same
  std::unique_ptr<WorkScale> scale_;    ///< of known_; nothing where the work of calls is always the same
  Chance chance_;
  int replaced_ = -1;     ///< the candidate that Monitor_Adapt gave up last
  std::string why_;       ///< it did, and what it measured then
  int failures_ = 0;      ///< of run-offs, one after the other, since the last decision
  std::string run_offs_;  ///< since the last decision, in words
};

}  // namespace starling
