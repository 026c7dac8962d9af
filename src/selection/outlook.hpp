#pragma once

#include <span>
#include <vector>

#include "selection/attribute_space.hpp"
#include "selection/estimates.hpp"
#include "selection/trials.hpp"

namespace starling {

/// What the tried candidates let expect of the others, for stopping early (Vuduc, Demmel and Bilmes 2004, section 3:
/// stop when a better one is improbable; there by the distribution of those tried alone, as here without attributes).
///
/// The logarithm of a candidate's time is a common mean, plus what its attribute values and its kind add, plus
/// something of its own; each normally distributed. How large these are, and whether one of them matters more than the
/// others, is not known: hypotheses about it weigh by how well they explain the times measured (Gaussian processes:
/// Rasmussen and Williams 2006, section 2.7, for the unknown mean).
class Outlook {
 public:
  /// One candidate at least has been tried. A better one saves the share `margin` of the best's time.
  Outlook(const AttributeSpace& space, const Trials& trials, double margin);

  /// The probability that a candidate which was not tried is better than the best of those that were, how long it is
  /// expected to take, and what a call would save if it was used wherever it is faster: a share of the best's time.
  struct Chance {
    int candidate;
    double probability;
    Estimate expected;
    double gain;
  };
  /// Of each that was not tried.
  [[nodiscard]] const std::vector<Chance>& chances() const { return chances_; }
  /// Seconds of a call that are expected of one of these.
  [[nodiscard]] double expected(int candidate) const;
  /// That any of them is.
  [[nodiscard]] double of_any() const;

 private:
  std::vector<Chance> chances_;
};

}  // namespace starling
