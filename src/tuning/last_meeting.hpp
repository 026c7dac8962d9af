#pragma once

#include <cstdint>
#include <limits>

namespace starling {

/// The collective that this rank ended last, if no rank could end it before all had begun. It tells whether the ranks
/// of a communicator begin their next call together: then nobody waits in it for late ranks, and its slowest rank's
/// time is what it costs the program.
class LastMeeting {
 public:
  /// A collective of so many bytes ended at `now`, by any clock in seconds, on a communicator of that number and size.
  void all_met(std::uint64_t communicator, int ranks, std::int64_t bytes, double now) {
    communicator_ = communicator;
    ranks_ = ranks;
    bytes_ = bytes;
    ended_ = now;
  }
  /// Another collective ended: ranks may have left it at any time.
  void forget() { ranks_ = 0; }

  /// Seconds since all ranks of a communicator met, which now begin a call of so many bytes; infinite where the
  /// collective before was on other ranks, or had so much data that ranks may have left it at different times.
  /// `all_ranks`: of MPI_COMM_WORLD.
  [[nodiscard]] double since(std::uint64_t communicator, std::int64_t bytes, int all_ranks, double now) const {
    constexpr std::int64_t far_less = 16;
    const bool are_the_same = ranks_ > 0 && (communicator == communicator_ || ranks_ == all_ranks);
    return are_the_same && bytes_ >= 0 && far_less * bytes_ < bytes ? now - ended_ : never;
  }

  static constexpr double never = std::numeric_limits<double>::infinity();

 private:
  std::uint64_t communicator_ = 0;
  int ranks_ = 0;  ///< 0 if it does not count
  std::int64_t bytes_ = 0;
  double ended_ = 0;
};

}  // namespace starling
