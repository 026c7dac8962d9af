#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "selection/plan.hpp"
#include "selection/proof.hpp"
#include "selection/strategy.hpp"
#include "selection/trials.hpp"

namespace starling {

/// Whether a way that was chosen before the run, by other measurements, is slower here than native. Some calls of
/// native are controls: the first after a few calls of the way, the next ones ever rarer. What they cost falls with the
/// number of calls. On the rank that judges.
///
/// A control is too short to be sure. Ranks that the way kept together may drift apart once native goes on for longer,
/// and where ranks come late anyway a few calls hardly tell waiting from work. So two controls in a row only begin a
/// contest: spells of the way and of native take turns (`Proof`), and are compared as the program feels them, with all
/// waiting, for what it does in between is the same. After the way has lost, native is looked at again, ever more
/// rarely: where its calls have become slower than the way's were, twice in a row, the way gets one more spell. Against
/// that look, not against more spells of native: its ranks may drift apart only in longer ones.
///
/// Where a rank can end a call before every rank has begun it, it leaves early, and waits for the others in what comes
/// next: no time of a call tells what a way costs. So spells are compared from call to call there, and each way has a
/// contest. One spell of native ends it where the program has at least half of what the calls gain.
class Guard {
 public:
  /// Calls of native in a control.
  static constexpr std::int64_t control_calls = 3;
  /// Fewest and most calls of the way before the first control: as many as are compared with it, and as many as cost
  /// little beside what a way saves that gains much.
  static constexpr std::int64_t fewest_calls = PlannedCalls::most_times;
  static constexpr std::int64_t first_calls = 24;
  /// Calls of a spell in a contest. The latest half of a spell's calls counts, for ranks drift apart within the first:
  /// so many at least, and at most.
  static constexpr std::int64_t spell_calls = 16;
  static constexpr std::int64_t fewest_of_spell = 8;
  static constexpr std::int64_t most_of_spell = 64;
  /// Calls of native before it is looked at after it has won, the first time; and of the way's spell after looks.
  static constexpr std::int64_t first_rest = 2 * most_of_spell;
  /// Most calls before the next control or look.
  static constexpr std::int64_t rarest = 4096;
  /// Calls of the way before the first control, in which a control of a way with that gain (native's time / the way's)
  /// costs a tenth of their time at most: what promises little is looked at soon. The most where it is not known.
  static std::int64_t first_calls_with(std::optional<double> gain);

  Guard(const Brief& brief, int way, std::optional<double> gain);

  /// What a call of the latest spell took and did, each the mean of its calls and of all ranks.
  struct Spell {
    double seconds;
    double work;
    double pace = 0;  ///< seconds from call to call, on the slowest rank; 0 where that is not known, or not what counts
  };

  /// Takes the latest calls of the way before a control, the control, and the way's latest spell.
  void take(std::span<const AgreedCall> of_way, std::span<const AgreedCall> of_native, const Spell& spell);
  /// Takes the latest spell, of native or of the way, where that did not end in a control.
  void take(const Spell& spell);

  /// Whether the way can serve here; nothing else counts where it cannot.
  [[nodiscard]] bool serves() const { return trials_.eligible(way_); }
  /// Whether the way is chosen; while there is a contest, whether it was before.
  [[nodiscard]] bool follows() const { return follows_ && serves(); }
  /// Whether the way's next calls end in a control.
  [[nodiscard]] bool makes_control() const { return !contest_.is_running() && !slower_native_; }
  /// Whether the next calls are native's, and how many there are before the next control or look.
  [[nodiscard]] bool calls_native() const {
    return contest_.is_running() ? contest_.next() == 0 : !follows_ && !slower_native_;
  }
  [[nodiscard]] std::int64_t calls() const {
    return contest_.is_running() ? spell_calls : slower_native_ ? first_rest : follows_ ? calls_ : rest_;
  }
  /// Why the way is chosen, or native, in words.
  [[nodiscard]] std::string why(const Interned& way) const;

 private:
  static constexpr int to_be_believed = 2;

  [[nodiscard]] double seconds(int of, const Spell& spell) const;
  void ask_for_contest(const Spell& of_way);
  void begin_contest(const Spell& of_way);
  void compete(int of, const Spell& spell);
  void look(const Spell& spell);
  void settle(const Proof::Result& found);
  void rest_longer();

  Trials trials_;
  Proof contest_;
  Proof::Result found_{};  ///< at last, of spells
  /// Seconds of native's latest spell, while the way has another one because of them.
  std::optional<double> slower_native_;
  int way_;
  bool is_proven_;       ///< nothing but controls speaks for a contest
  bool by_pace_;         ///< spells are compared from call to call
  int number_;           ///< Brief::number
  bool is_due_ = false;  ///< a contest begins with the next control
  double pace_of_way_ = 0;
  double work_of_busiest_ = 0;  ///< of calls before controls, a sum over controls of their mean
  double work_of_spells_ = 0;   ///< of the spells that ended with these calls, likewise
  bool follows_ = true;
  int slower_ = 0;  ///< controls in a row, or looks, that found the one slower that is called
  std::int64_t first_calls_;
  std::int64_t calls_;     ///< of the way, before the next control
  std::int64_t rest_ = 0;  ///< of native, before the next look
};

}  // namespace starling
