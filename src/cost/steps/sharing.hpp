#pragma once

#include <cstdint>
#include <list>
#include <unordered_map>
#include <vector>

#include "cost/prediction_work.hpp"
#include "cost/simulated_ranks.hpp"

namespace starling {

/// The time of publications and takes in memory that ranks of a node share. The writer copies in, at its local rate; a
/// reader sees the beginning the latency after that began and copies out, or combines, not before the writer has
/// copied in: both at once, many readers too. There is room for everything. What may stay in place is not copied in:
/// its reader copies it, and combines that where it must, and the writer waits for it. A writer that waits for one
/// reader only copies half for it.
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
    bool in_place;
    bool helped;  ///< by the writer
  };
  struct Progress {
    const BoundSharing* sharing = nullptr;  ///< null: in none
    std::int32_t taken = 0;
    /// Readers of publications that stay in place who have not taken them yet, and 1 while it publishes.
    std::int32_t awaited = 0;
    double until = 0;  ///< when the last of them was taken
  };
  /// Takes what is there; ends the step when that is all.
  void take(int rank);
  /// The data has been taken: `processor` is when the reader's is free.
  void take_one(int rank, const BoundTake& take, const Published& there, double& processor);
  void end_if_over(int rank);
  static std::int64_t pair(int writer, int reader) { return (static_cast<std::int64_t>(writer) << 32U) | reader; }

  SimulatedRanks& ranks_;
  std::vector<Progress> progress_;  ///< of each rank
  /// By writer and reader, not taken yet, in order. There are many pairs, most with one or none: a deque takes 640
  /// bytes.
  std::unordered_map<std::int64_t, std::list<Published>> published_;
};

}  // namespace starling
