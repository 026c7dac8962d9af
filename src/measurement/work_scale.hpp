#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace starling {

/// How the seconds of a call grow with its work: latency + rate * work. Of use up to a factor only.
struct Growth {
  double latency = 1;
  double rate = 0;
  [[nodiscard]] double at(double work) const { return latency + (rate * work); }
};

/// What a fit needs of calls, however many: their number, and sums over them of work^i / seconds^j.
struct WorkSums {
  double calls = 0;
  double work = 0;
  double u = 0;   ///< 1 / seconds
  double v = 0;   ///< work / seconds
  double uu = 0;  ///< 1 / seconds^2
  double uv = 0;  ///< work / seconds^2
  double vv = 0;  ///< work^2 / seconds^2
  /// Adds a call. What was added before counts a little less: `memory` calls are as good as remembered.
  void add(double work_of_call, double seconds);
  static constexpr double memory = 50;
};

/// The growth that several candidates have in common, where each may take some factor longer: the one with the least
/// sum of squares of relative errors. Candidates are thought to be alike where their own calls do not tell. Growth
/// without work where there are no calls.
Growth common_growth(std::span<const WorkSums> candidates);

/// A candidate's own growth: that of its calls, by relative errors, as far as they tell; else the common one.
Growth own_growth(const WorkSums& calls, const Growth& common);

/// Makes times of calls comparable that had different amounts of work to do: each is told as if the call had done the
/// mean work of the calls so far. As times are taken to be linear in work, a mean over calls stays right.
///
/// A time divided by its work would not do: a small call is all latency. Nor would one curve for all candidates, which
/// differ in how they trade latency for bandwidth; and a curve for each, of ten noisy calls, has to lean on the others'
/// where these calls hardly differ.
///
/// Only sums, products and quotients decide, which are the same on all processors.
class WorkScale {
 public:
  explicit WorkScale(std::size_t candidates) : sums_(candidates), growths_(candidates) {}

  /// Takes a call of a candidate, in bytes or any other unit of work, and seconds.
  void add(std::size_t candidate, double work, double seconds) { sums_[candidate].add(work, seconds); }
  /// Learns from the calls that were added how candidates grow.
  void fit();
  /// Moves the reference, the mean work, by `calls` calls that did `work` altogether; those before count less.
  void refer(double work, double calls);
  /// Work that times are told for.
  [[nodiscard]] double reference() const { return has_reference() ? work_ / calls_ : 0; }
  [[nodiscard]] bool has_reference() const { return calls_ > 0; }
  /// What turns a time of the candidate for that much work into one for the reference.
  [[nodiscard]] double factor(std::size_t candidate, double work) const;

 private:
  /// Calls that count for the reference as much as those before them.
  static constexpr double horizon = 100;

  std::vector<WorkSums> sums_;
  std::vector<Growth> growths_;
  double work_ = 0;
  double calls_ = 0;
};

}  // namespace starling
