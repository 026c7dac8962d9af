#pragma once

#include <cstdint>
#include <deque>
#include <unordered_map>
#include <vector>

#include "cost/prediction_work.hpp"
#include "cost/simulated_ranks.hpp"

namespace starling {

/// The time of publications and takes in memory that ranks of a node share. The writer copies in, at its local rate; a
/// reader sees the beginning the latency after that began and copies out, or combines, not before the writer has
/// copied in: both at once, many readers too. There is room for everything.
template <>
class StepCost<Sharing> {
 public:
  explicit StepCost(SimulatedRanks& ranks) : ranks_(ranks), progress_(ranks.programs().size()) {}

  /// A rank comes to a sharing.
  void begin(int rank, const Step& step, double now);
  static void count(const Sharing& step, PredictionWork& work);

 private:
  /// What one rank has published for another.
  struct Published {
    double begun;
    double done;
  };
  struct Progress {
    const BoundSharing* sharing = nullptr;  ///< null: in none
    std::int32_t taken = 0;
  };
  /// Takes what is there; ends the step when that is all.
  void take(int rank, double now);
  std::deque<Published>& from(int writer, int reader) {
    return published_[(static_cast<std::int64_t>(writer) << 32U) | reader];
  }

  SimulatedRanks& ranks_;
  std::vector<Progress> progress_;                                     ///< of each rank
  std::unordered_map<std::int64_t, std::deque<Published>> published_;  ///< by writer and reader, not taken yet
};

}  // namespace starling
