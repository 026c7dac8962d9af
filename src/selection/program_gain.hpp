#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "selection/plan.hpp"
#include "selection/proof.hpp"

namespace starling {

/// Whether the program gains what the calls of the chosen candidate gain. Where that is not certain, stretches of calls
/// with it and with native take turns (`Proof`). What a candidate has failed by once counts against all others too
/// that have not been proven: the program loses it between calls, whichever candidate carries them out.
class ProgramGain {
 public:
  /// Calls of one stretch, at least.
  static constexpr std::int64_t calls_of_stretch = 10;

  explicit ProgramGain(std::size_t candidates) : proven_(candidates) {}

  /// What is known of the chosen candidate.
  struct Chosen {
    int candidate;
    double seconds;  ///< of a call
    double native;   ///< of a call of native, seconds
  };

  /// Whether earlier runs have proven the chosen candidate.
  void believe_earlier_runs(const Chosen& chosen);
  /// The logarithm of what a candidate must be faster by in its calls, for the program to be no slower with it.
  [[nodiscard]] double handicap(int candidate) const {
    return candidate == 0 || proven_[static_cast<std::size_t>(candidate)] ? 0 : static_cast<double>(handicap_);
  }
  /// Whether it is not certain enough that the program gains from the chosen candidate, which has made so many calls.
  /// `to_fastest`: how many times as long as on the fastest rank they take in the mean over ranks.
  [[nodiscard]] bool needs_proof(const Chosen& chosen, std::int64_t calls, double to_fastest) const;
  /// Whether the program lost most of that gain between the calls of the latest plan, or may have: after a change of
  /// times, which may have been that of who waits where, nothing is known of native.
  [[nodiscard]] bool is_doubted(int candidate) const { return candidate != 0 && candidate == doubted_; }
  /// Whether the program has gained with any candidate.
  [[nodiscard]] bool has_proven_any() const;
  void begin_proof(int candidate) { proof_.begin(candidate); }
  [[nodiscard]] bool is_proving() const { return proof_.is_running(); }
  /// Who makes the next stretch of a proof: the candidate, or native, 0.
  [[nodiscard]] int next() const { return proof_.next(); }

  /// Takes the seconds since the latest agreement, with what the program did between calls; 0 if not known.
  void stretch_took(double seconds) { stretch_ = seconds; }
  /// Takes the plan of that stretch, of whose seconds so many passed in calls. Returns why the program gains nothing
  /// from the chosen candidate, where that has turned out. `waits`: ranks wait for late ones.
  std::optional<Proof::Result> take(std::span<const PlannedCalls> plan, double in_calls, const Chosen& chosen,
                                    bool waits);
  /// The network has changed.
  void start_anew();

 private:
  [[nodiscard]] bool is_clear(double between_calls, const Chosen& chosen, bool waits) const;
  [[nodiscard]] bool knows_native() const;

  Proof proof_;
  double stretch_ = 0;
  /// Seconds between two calls in the latest plans of which native made most: at most three, the latest last.
  std::vector<double> between_native_calls_;
  std::vector<bool> proven_;  ///< of each candidate, whether the program was faster with it
  float handicap_ = 0;
  bool has_started_anew_ = false;
  std::int16_t doubted_ = 0;  ///< the candidate that is, if any
};

}  // namespace starling
