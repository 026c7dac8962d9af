#pragma once

#include <array>
#include <optional>

namespace starling {

/// Whether a program is faster with a candidate, or only the candidate's calls are. What a call leaves behind, such as
/// ranks that go on at different times or have yielded their processor, is paid between calls, which no time of a call
/// shows. So stretches of calls with the candidate and with native take turns, and the time from call to call is
/// compared. Where that is the same with both (`Guard`), stretches of calls are, with all waiting.
class Proof {
 public:
  /// How many stretches are made, at least and at most.
  static constexpr int fewest = 4;
  static constexpr int most = 8;

  /// Begins with `candidate`.
  void begin(int candidate) {
    *this = {};
    candidate_ = candidate;
  }
  [[nodiscard]] bool is_running() const { return candidate_ > 0; }
  [[nodiscard]] int candidate() const { return candidate_; }
  /// Who makes the next stretch: the candidate, or native, 0.
  [[nodiscard]] int next() const;
  /// From this share of native's time down, a gain in calls is no accident.
  static constexpr double clear_gain = 0.7;
  /// Whether calls gain so much that it is no accident, and so much of that is not lost between calls that the program
  /// gains.
  static bool is_clear(double candidate, double native, double lost) {
    constexpr double most = 0.5;
    return candidate < clear_gain * native && lost < (1 - most) * (native - candidate);
  }
  /// Takes the seconds of a call in the stretch that was next, or from call to call.
  void add(double seconds);

  /// What was found, in seconds as they were taken.
  struct Result {
    bool is_faster;
    double with_candidate;
    double with_native;
  };
  /// Nothing while more stretches are needed. `expected` is the logarithm of by how much the program should be faster:
  /// where times scatter by more than that, nothing speaks against the candidate. Ends the proof.
  std::optional<Result> result(double expected);

 private:
  /// Logarithms of seconds.
  struct Stretches {
    int count = 0;
    double mean = 0;
    double squares = 0;  ///< of deviations from the mean
    void add(double log_seconds);
  };

  int candidate_ = 0;
  int made_ = 0;
  std::array<Stretches, 2> of_{};  ///< native's, the candidate's
};

}  // namespace starling
