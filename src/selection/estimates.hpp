#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "messages/interned.hpp"
#include "selection/strategy.hpp"

namespace starling {

/// A time that is not known exactly: the logarithm of its seconds is normally distributed.
struct Estimate {
  double log_seconds;
  double spread;  ///< standard deviation of the logarithm
  [[nodiscard]] double seconds() const { return std::exp(log_seconds); }
};

/// The belief in a time that the cost model predicts. On the emulated clusters of docs/results the logarithm of
/// measured / predicted has a standard deviation of 0.33 within a context, and of 0.25 to 0.4 between contexts.
Belief belief_of_model(double seconds);

/// What a candidate may gain and cost against another, in units of the other's time.
struct Prospect {
  double gain;  ///< expected value of what it is faster, counted as 0 where it is slower
  double loss;  ///< expected value of what it is slower, counted as 0 where it is faster
};
/// The prospect of `candidate` against `reference`: expected improvement (Jones, Schonlau and Welch 1998, section 4.1)
/// for logarithms of times.
Prospect prospect(const Estimate& candidate, const Estimate& reference);

/// How long each candidate of a context takes: beliefs before it is tried, then its measured times. Candidate 0 is
/// native.
///
/// Errors of beliefs from one source have a part in common, and so have those of candidates of one group. What was
/// measured of some therefore corrects what is believed of the others (a normal model with random effects).
class Estimates {
 public:
  /// So many of a candidate's latest measured times count.
  static constexpr std::size_t window = 49;

  explicit Estimates(std::shared_ptr<const GroupNumbers> groups);

  void believe(int candidate, const Belief& belief);
  /// Adds a measured time, more than 0.
  void add(int candidate, double seconds);
  /// Multiplies the measured times of a candidate.
  void scale(int candidate, double factor);
  /// How far the measured times of a candidate may be from its true one all together: the standard deviation of their
  /// logarithms' common error.
  void doubt(int candidate, double deviation) { own(candidate).measured->doubt = static_cast<float>(deviation); }
  /// Forgets the measured times of a candidate.
  void forget(int candidate) { own(candidate).measured.reset(); }
  /// The network has changed: what was measured so far is only a belief now.
  void age();
  /// Brings the common errors and the scatter up to date. To be called after changes, before `of`.
  void update();

  [[nodiscard]] Estimate of(int candidate) const;
  /// The same without what was believed or measured of others. Of a candidate that was measured.
  [[nodiscard]] Estimate measured_alone(int candidate) const;
  /// How often it was measured since the network changed last.
  [[nodiscard]] std::int64_t measured(int candidate) const { return at(candidate).count(); }
  [[nodiscard]] double doubt_of(int candidate) const {
    const One& one = at(candidate);
    return one.measured == nullptr ? 0 : static_cast<double>(one.measured->doubt);
  }
  /// The standard deviation of the logarithm of a single call's time.
  [[nodiscard]] double scatter() const { return scatter_; }
  [[nodiscard]] bool is_believed(int candidate) const { return at(candidate).believed; }
  [[nodiscard]] bool is_proven(int candidate) const { return at(candidate).proven; }
  /// Median of the latest measured times, in seconds; 0 where there is none.
  [[nodiscard]] double median(int candidate) const {
    const One& one = at(candidate);
    return one.measured == nullptr ? 0 : std::exp(static_cast<double>(one.measured->middle));
  }
  /// The shortest of the latest measured times, in seconds; 0 where there is none.
  [[nodiscard]] double shortest(int candidate) const;

 private:
  // In single precision: there is one for each candidate of each context.
  struct Measured {
    std::vector<float> logs;  ///< of the latest measured times, at most `window`
    float middle = 0;         ///< the median of `logs`, as of the last `update`
    float doubt = 0;          ///< of all these times
    float located = 0;        ///< location of `logs`: the median if they are few, else a mean or the lower quartile
    std::int32_t count = 0;   ///< more than 0
    std::uint8_t oldest = 0;  ///< of a full window
  };
  struct One {
    Interned source;                     ///< of the belief
    std::unique_ptr<Measured> measured;  ///< null for those that were not, which most candidates are
    float believed_log = 0;
    float believed_spread = 0;
    float common_spread = 0;
    float expected_log = 0;  ///< without what was measured of this one, as of the last `update`
    float expected_spread = 0;
    std::uint8_t group = 0;  ///< GroupNumbers::of
    bool believed = false;
    bool proven = false;  ///< Belief::is_proven
    [[nodiscard]] std::int64_t count() const { return measured ? measured->count : 0; }
  };

  [[nodiscard]] const One& at(int candidate) const {
    return all_[std::min(static_cast<std::size_t>(candidate), all_.size() - 1)];
  }
  One& own(int candidate);
  void update_scatter();
  void expect_by_source(const Interned& source);
  void expect_without_belief();

  /// Of native, and of a stand-in for all others while nothing is known of them; then of each. Most contexts never try
  /// anything.
  std::vector<One> all_;
  std::shared_ptr<const GroupNumbers> groups_;
  double scatter_;
};

}  // namespace starling
