#pragma once

#include <algorithm>
#include <cstddef>
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
/// A control is too short to be sure. Ranks that the way kept together may drift apart once native goes on for longer,
/// and where ranks come late anyway a few calls hardly tell waiting from work. So two controls in a row only begin a
/// contest: native and the way take turns, in spells that are compared as the program feels them, with all waiting, for
/// what it does in between is the same. After the way has lost, native is looked at again, ever more rarely: where its
/// calls have become slower than the way's were, a new contest begins.
class Guard {
 public:
  /// Calls of native in a control.
  static constexpr std::int64_t control_calls = 3;
  /// Fewest and most calls of the way before the first control: as many as are compared with it, and as many as cost
  /// little beside what a way saves that gains much.
  static constexpr std::int64_t fewest_calls = PlannedCalls::most_times;
  static constexpr std::int64_t first_calls = 24;
  /// Calls of a spell in a contest, and how many of native there are at most.
  static constexpr std::int64_t spell_calls = 32;
  static constexpr int most_spells = 4;
  /// Most calls before the next control or look.
  static constexpr std::int64_t rarest = 4096;
  /// Stretches of a spell, the latest half of its calls or more; and calls of a stretch, each of which has one time.
  static constexpr std::size_t stretches = 4;
  static std::int64_t calls_of_stretch(std::int64_t spell) {
    constexpr std::int64_t fewest = 8;
    return std::max(fewest, spell / (2 * static_cast<std::int64_t>(stretches)));
  }
  /// Calls of the way before the first control, in which a control of a way with that gain (native's time / the way's)
  /// costs a tenth of their time at most: what promises little is looked at soon. The most where it is not known.
  static std::int64_t first_calls_with(std::optional<double> gain);

  Guard(const Brief& brief, int way, std::optional<double> gain);

  /// What ranks agreed on for a stretch: the seconds of its calls and their work, each the mean of all ranks.
  struct Stretch {
    double seconds;
    double work;
  };

  /// Takes the latest calls of the way before a control, as stretches too, and the control.
  void take(std::span<const AgreedCall> of_way, std::span<const AgreedCall> of_native, std::span<const Stretch> spell);
  /// Takes the latest calls of native, where that did not end in a control.
  void look(std::span<const Stretch> spell);

  /// Whether the way can serve here; nothing else counts where it cannot.
  [[nodiscard]] bool serves() const { return trials_.eligible(way_); }
  /// Whether the way is chosen; while there is a contest, whether it was before.
  [[nodiscard]] bool follows() const { return follows_ && serves(); }
  /// Whether the next calls are native's, and how many there are before the next control or look.
  [[nodiscard]] bool calls_native() const { return contest_ ? native_is_next_ : !follows_; }
  [[nodiscard]] std::int64_t calls() const { return contest_ ? spell_calls : follows_ ? calls_ : rest_; }
  /// Why the way is chosen, or native, in words.
  [[nodiscard]] std::string why(const Interned& way) const;

 private:
  static constexpr int to_be_believed = 2;

  void add_spell(int of, std::span<const Stretch> spell);
  void begin_contest(bool with_native);
  void judge();

  Trials trials_;
  Trials spells_;
  int way_;
  bool follows_ = true;
  bool contest_ = false;
  bool native_is_next_ = false;  ///< in a contest
  int spells_of_native_ = 0;     ///< in a contest
  int slower_ = 0;               ///< controls in a row
  std::int64_t first_calls_;
  std::int64_t calls_;  ///< of the way, before the next control
  std::int64_t rest_ = spell_calls;
};

}  // namespace starling
