#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "measurement/of_few.hpp"
#include "selection/plan.hpp"

namespace starling {

/// How long ranks wait in a collective that no rank can end before all have begun, and whose fault that is.
///
/// The rank that comes last takes the least time; what the others take longer is waiting. Ranks wait because some left
/// the call before much earlier than others, and because the program makes some late. So two kinds of calls tell of a
/// candidate:
///
///  - a call after another of its own: ranks wait so long in the mean. The program pays that from call to call, for its
///    own work is the same with each candidate.
///  - a call after an agreement, where ranks begin together: those that leave it early make the others wait in the next
///    one. What ranks would wait from call to call then lies between the mean and the longest.
///
/// Late ranks are in both. They are the program's own: the least waiting that was seen with any candidate counts as
/// theirs, and what ranks wait longer with another candidate is that candidate's doing. One candidate alone does not
/// tell: its waiting counts as its own, up to its fastest rank's time.
///
/// Of a call that ranks began `together` no waiting is for late ranks. Its slowest rank's time is what it cost, for all
/// wait for that rank in the collective that comes next.
class Waiting {
 public:
  /// `synchronises`: no rank can end a call before all have begun it. Where one can, the slowest rank's time counts.
  explicit Waiting(bool synchronises) : synchronises_(synchronises) {}

  /// Takes the calls of a plan, those of each step in turn, the latest first.
  void take(std::span<const PlannedCalls> plan, std::span<const AgreedCall> calls);
  /// Takes all calls since an agreement, the latest first: a candidate's.
  void take(int candidate, std::span<const AgreedCall> calls);
  /// The seconds that a call which was taken cost the program, without waiting for late ranks.
  [[nodiscard]] double seconds(int candidate, const AgreedCall& call) const {
    return synchronises_ && !call.together ? std::min(call.fastest + own(candidate), call.slowest) : call.slowest;
  }
  /// What earlier `seconds` of a candidate are to be multiplied by, as more is known of waiting now than when this was
  /// last called.
  double correction(int candidate);
  /// Frees memory where few calls follow: keeps what is known of each candidate, not the calls that it is known from.
  /// The next call of a candidate counts as its second.
  void condense() {
    for (CandidateWaits& one : known_) one.seconds.reset();
  }
  /// Forgets the calls so far, but not how long ranks wait for late ones.
  void forget() { known_.clear(); }
  /// Whether ranks wait for late ones more than half as long as a call takes without.
  explicit operator bool() const;
  /// How many times as long as on the fastest rank calls with `candidate` take in the mean; 1 where that is not known.
  [[nodiscard]] double ratio(int candidate) const;

 private:
  static constexpr std::size_t window = 12;
  static constexpr std::size_t windows = 8;
  /// Some calls of a candidate.
  struct Latest {
    std::uint32_t calls = 0;
    float typical = 0;  ///< the median of their seconds, of more calls the mean of medians of the latest `windows`
    /// From how many calls `typical` is known.
    [[nodiscard]] double kept() const { return static_cast<double>(std::min<std::size_t>(calls, window * windows)); }
  };
  /// What is known of a candidate's calls.
  enum Part : std::uint8_t {
    fastest,     ///< rank's seconds
    in_a_row,    ///< waiting where the candidate's calls follow each other
    mean,        ///< rank's seconds in these calls
    from_start,  ///< waiting where ranks begin together
    parts
  };
  struct CandidateWaits {
    std::array<float, parts> typical{};
    std::array<std::uint8_t, parts> calls{};
    float applied = 0;  ///< `own`, as of the last correction
    /// The latest seconds of each part, up to `window` of them, part after part; of a part with one call there are
    /// none: they are its `typical`. There are many candidates with a few calls. Null where no part has more, or it was
    /// condensed.
    std::unique_ptr<float[]> seconds;

    [[nodiscard]] Latest operator[](Part part) const { return {calls[part], typical[part]}; }
    void add(Part part, double value);
    /// A standard deviation of a part's latest calls; 0 of one, nothing where they were condensed.
    [[nodiscard]] std::optional<double> scatter(Part part) const;

   private:
    /// Room in `seconds` for a part with so many calls.
    [[nodiscard]] static std::size_t room_for(std::size_t calls) {
      constexpr std::size_t few = 3;
      return calls < 2 ? 0 : calls <= few ? few : calls <= window / 2 ? window / 2 : window;
    }
    /// Room for all parts before that one.
    [[nodiscard]] std::size_t room_before(std::size_t part) const {
      std::size_t room = 0;
      for (std::size_t i = 0; i < part; ++i) room += room_for(calls.at(i));
      return room;
    }
    void make_room(Part part, std::size_t room);
    [[nodiscard]] std::vector<double> sorted(Part part) const;
  };
  /// Waiting for late ranks, seconds.
  struct Lateness {
    double seconds = 0;
    double calls = 0;  ///< from how many that is known; 0: not known
  };
  static Lateness least(std::span<const Latest> candidates, double scatter);
  static constexpr int agreement = -1;  ///< in place of a candidate
  void add(int candidate, std::span<const AgreedCall> calls, int before);
  [[nodiscard]] const CandidateWaits* find(int candidate) const {
    return known_.find(static_cast<std::size_t>(candidate));
  }
  CandidateWaits& entry(int candidate);
  [[nodiscard]] double own(const CandidateWaits& one) const;
  [[nodiscard]] double own(int candidate) const {
    const CandidateWaits* const one = find(candidate);
    return one == nullptr ? 0 : own(*one);
  }
  void update();

  OfFew<CandidateWaits> known_;  ///< of candidates with calls
  bool synchronises_;
  double scatter_ = 0;  ///< of the waiting in one call, seconds
  Lateness in_a_row_;
  Lateness from_start_;
};

}  // namespace starling
