#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace starling {

/// How the seconds of a call grow with its work: latency + rate * work. Meaningful only up to a factor.
struct Growth {
  double latency = 1;
  double rate = 0;
  [[nodiscard]] double at(double work) const { return latency + (rate * work); }
};

/// The data about any number of calls that a fit needs: their number, and sums over them of work^i / seconds^j.
struct WorkSums {
  double calls = 0;
  double work = 0;
  double u = 0;   ///< 1 / seconds
  double v = 0;   ///< work / seconds
  double uu = 0;  ///< 1 / seconds^2
  double uv = 0;  ///< work / seconds^2
  double vv = 0;  ///< work^2 / seconds^2
  /// Adds a call. Earlier calls then weigh a little less: about the last `memory` calls count.
  void add(double work_of_call, double seconds);
  static constexpr double memory = 50;
};

/// The growth that several candidates have in common, each up to its own factor: the one with the least sum of squared
/// relative errors. Candidates count as equal unless their calls show otherwise. Without calls, a growth that does not
/// depend on work.
Growth common_growth(std::span<const WorkSums> candidates);

/// A candidate's own growth: fitted to the relative errors of its calls as far as they determine it; else the common
/// one.
Growth own_growth(const WorkSums& calls, const Growth& common);

/// The standard deviation of the logarithm of a candidate's time for `work`, as far as it is unknown how its time
/// grows: 0 where its calls had that work, and large where they were much smaller or larger.
double doubt_of_growth(const WorkSums& calls, const Growth& common, double work);

/// Makes the times of calls with different work comparable: scales each to the mean work of the latest calls. Times are
/// taken as linear in work, so a mean over calls stays right.
///
/// Dividing a time by its work would be wrong: a small call is all latency. So would be one curve for all candidates,
/// which differ in how they trade latency for bandwidth. A curve for each, from ten noisy calls, needs those of the
/// others where the calls hardly differ in work.
///
/// Uses only sums, products and quotients, which are the same on all processors.
class WorkScale {
 public:
  explicit WorkScale(std::size_t candidates) : sums_(candidates), growths_(candidates) {}

  /// Adds a call of a candidate: its work, in bytes or any other unit, and its seconds.
  void add(std::size_t candidate, double work, double seconds);
  /// Fits the growth of each candidate to the added calls.
  void fit();
  /// Updates the reference, the mean work, with `calls` calls of `work` in total. Those before the latest hundred or
  /// two are forgotten: if they only weighed less, calls of a thousandth of their work would not count for long.
  void refer(double work, double calls);
  /// The work to which times are scaled.
  [[nodiscard]] double reference() const {
    return has_reference() ? (before_.work + latest_.work) / (before_.calls + latest_.calls) : 0;
  }
  [[nodiscard]] bool has_reference() const { return before_.calls + latest_.calls > 0; }
  /// The factor from a time of the candidate for `work` to one for the reference.
  [[nodiscard]] double factor(std::size_t candidate, double work) const;
  /// How little the calls of a candidate tell of its time for the reference, as of the last fit: `doubt_of_growth`.
  [[nodiscard]] double doubt(std::size_t candidate) const;
  /// Whether calls of this mean work are far smaller or larger than all that were added, so that nothing is known of
  /// them. From then on the answer for such calls is no.
  bool is_far(double work);
  /// For `is_far` and the reference, no call was added. How times grow is still known.
  void forget_range() {
    least_ = most_ = 0;
    before_ = latest_ = {};
  }

 private:
  /// So many calls, and those added with the last of them, count until as many more were added.
  static constexpr double horizon = 100;
  struct Referred {
    double work = 0;
    double calls = 0;
  };

  void widen(double work);

  std::vector<WorkSums> sums_;
  std::vector<Growth> growths_;
  Growth common_;
  double least_ = 0;  ///< work of a call; 0 where there was none with any
  double most_ = 0;
  Referred before_;
  Referred latest_;
};

}  // namespace starling
