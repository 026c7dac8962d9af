#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "selection/plan.hpp"
#include "selection/strategy.hpp"
#include "selection/trials.hpp"

namespace starling {

/// Whether a way that was chosen before the run, by other measurements, is slower here than native. Some calls of
/// native are controls: the first after a few calls of the way, the next ones ever rarer. What they cost falls with the
/// number of calls. On the rank that judges.
///
/// Ranks that the way kept together may drift apart once native goes on for long, and its calls then take longer than
/// any control tells. So after the way was left, native is looked at again, ever more rarely: where its calls have
/// become slower than the way's were, the way comes back.
class Guard {
 public:
  /// Calls of native in a control.
  static constexpr std::int64_t control_calls = 3;
  /// Fewest and most calls of the way before the first control: as many as are compared with it, and as many as cost
  /// little beside what a way saves that gains much.
  static constexpr std::int64_t fewest_calls = PlannedCalls::most_times;
  static constexpr std::int64_t first_calls = 24;
  /// Calls of native between leaving the way and the first look.
  static constexpr std::int64_t first_rest = 32;
  /// Most calls before the next control or look.
  static constexpr std::int64_t rarest = 4096;
  /// Calls of the way before the first control, in which a control of a way with that gain (native's time / the way's)
  /// costs a tenth of their time at most: what promises little is looked at soon. The most where it is not known.
  static std::int64_t first_calls_with(std::optional<double> gain);

  Guard(const Brief& brief, int way, std::optional<double> gain)
      : trials_(brief), way_(way), first_calls_(first_calls_with(gain)), calls_(first_calls_) {}

  /// Takes the latest calls of the way before a control, and the control.
  void take(std::span<const AgreedCall> of_way, std::span<const AgreedCall> of_native);
  /// Takes the latest calls of native since the way was left.
  void look(std::span<const AgreedCall> of_native);
  /// Whether native is to be called: the way was clearly slower in two controls in a row and native has not become
  /// slower since, or the way cannot serve here.
  [[nodiscard]] bool leaves_to_native() const { return slower_ >= to_be_believed || !serves(); }
  /// Whether the way can serve here.
  [[nodiscard]] bool serves() const { return trials_.eligible(way_); }
  /// Calls of the way before the next control, or of native before the next look.
  [[nodiscard]] std::int64_t calls() const { return leaves_to_native() ? rest_ : calls_; }
  /// Why it is left to native, or comes back, in words.
  [[nodiscard]] std::string why(const Interned& way) const;

 private:
  static constexpr int to_be_believed = 2;

  Trials trials_;
  int way_;
  int slower_ = 0;  ///< controls in a row
  std::int64_t first_calls_;
  std::int64_t calls_;  ///< of the way, before the next control
  std::int64_t rest_ = first_rest;
};

}  // namespace starling
